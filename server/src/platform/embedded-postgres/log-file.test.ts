import { closeSync, writeSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logSizeBytes, openLog, readLog, trimLog } from './log-file.ts';

let folder = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voucher-log-'));
  path = join(folder, 'postgres.log');
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('the server log', () => {
  it('is empty again, with one older copy, after growing beyond 4 MB, while its writer goes on', async () => {
    const log = openLog(path);
    writeSync(log, 'x'.repeat(5 * 1024 * 1024));
    trimLog(path);
    writeSync(log, 'next line');
    closeSync(log);
    expect(await readFile(path, 'utf8')).toBe('next line');
    expect((await stat(`${path}.1`)).size).toBe(5 * 1024 * 1024);
  });

  it('can be read by its owner only', async () => {
    closeSync(openLog(path));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is read from a given size on, at most the last 16 kB', () => {
    const log = openLog(path);
    writeSync(log, 'earlier start\n');
    const fromBytes = logSizeBytes(path);
    writeSync(log, 'this start\n');
    expect(readLog(path, fromBytes)).toBe('this start\n');
    writeSync(log, 'y'.repeat(100_000));
    expect(readLog(path, fromBytes)).toHaveLength(16 * 1024);
    closeSync(log);
  });
});
