import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openGroupCommit } from './group-commit.ts';
import { createTable } from './table.ts';
import type { Table } from './table.ts';

/** One call that the sandbox answered or made, secrets already redacted. */
export interface Exchange {
  target: string;
  call: string;
  method: string;
  url: string;
  request: unknown;
  response: unknown;
  /** The fault that met it, if any. */
  fault?: string;
}

export interface Ledger {
  /** A named table whose rows survive a restart. Rows are replaced, never changed in place. */
  table<Row>(name: string): Table<Row>;
  record(exchange: Exchange): void;
  /** Resolves when all of the above is on disk. Nothing is answered before. */
  flushed(): Promise<void>;
  /** Exchanges, oldest first; the last `limit` of those that `matches` accepts. */
  exchanges(matches: (exchange: Exchange) => boolean, limit: number): Promise<(Exchange & { at: string })[]>;
  close(): Promise<void>;
}

const EXCHANGE_PREFIX = '{"kind":"exchange"';

/** Opens `ledger.jsonl` under `dataDir`, rebuilding every table from it. */
export async function openLedger(dataDir: string): Promise<Ledger> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'ledger.jsonl');
  await dropTornLine(path);
  const stored = await readTables(path);
  const log = await openGroupCommit(path);
  const tables = new Map<string, Table<unknown>>();
  const append = (entry: object) => log.append(JSON.stringify(entry));
  const now = () => new Date().toISOString();

  return {
    table<Row>(name: string): Table<Row> {
      const opened = tables.get(name) as Table<Row> | undefined;
      if (opened) return opened;
      const rows = (stored.get(name) ?? new Map()) as Map<string, Row>;
      const table = createTable<Row>(rows, {
        row: (id, row) => append({ kind: 'row', at: now(), table: name, id, row }),
        cleared: () => append({ kind: 'cleared', at: now(), table: name }),
      });
      tables.set(name, table);
      return table;
    },
    record: (exchange) => append({ kind: 'exchange', at: now(), ...exchange }),
    flushed: () => log.flushed(),
    async exchanges(matches, limit) {
      await log.flushed();
      return readExchanges(path, matches, limit);
    },
    close: () => log.close(),
  };
}

/** A process killed while writing leaves half a line, which was never answered: forget it. */
async function dropTornLine(path: string): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    let end = (await file.stat()).size;
    const block = Buffer.alloc(64 * 1024);
    while (end > 0) {
      const from = Math.max(0, end - block.length);
      const { bytesRead } = await file.read(block, 0, end - from, from);
      const newline = block.subarray(0, bytesRead).lastIndexOf(0x0a);
      end = newline >= 0 ? from + newline + 1 : from;
      if (newline >= 0) break;
    }
    await file.truncate(end);
  } finally {
    await file.close();
  }
}

function linesOf(path: string) {
  return createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
}

async function readTables(path: string): Promise<Map<string, Map<string, unknown>>> {
  const tables = new Map<string, Map<string, unknown>>();
  for await (const line of linesOf(path)) {
    if (line.startsWith(EXCHANGE_PREFIX)) continue;
    const entry = JSON.parse(line) as { kind: string; table: string; id: string; row: unknown };
    const rows = tables.get(entry.table) ?? new Map<string, unknown>();
    tables.set(entry.table, rows);
    if (entry.kind === 'cleared') rows.clear();
    else rows.set(entry.id, entry.row);
  }
  return tables;
}

async function readExchanges(path: string, matches: (exchange: Exchange) => boolean, limit: number) {
  const found: (Exchange & { at: string })[] = [];
  for await (const line of linesOf(path)) {
    if (!line.startsWith(EXCHANGE_PREFIX)) continue;
    const { kind: _kind, ...exchange } = JSON.parse(line) as Exchange & {
      at: string;
      kind: string;
    };
    if (matches(exchange)) found.push(exchange);
    if (found.length > limit) found.shift();
  }
  return found;
}
