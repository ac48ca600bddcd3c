import type { Command } from 'commander';

import type { Database } from '../platform/db/database.ts';
import { countForeignSeals, resealTable } from '../platform/reseal.ts';
import type { SealedTable } from '../platform/reseal.ts';
import type { SecretBox } from '../platform/secret-box.ts';

export interface OpenVault {
  readonly db: Database;
  readonly box: SecretBox;
  readonly close: () => Promise<void>;
}

/** Where the command writes: the result to `out`, everything else to `err`. */
export interface RotationOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/**
 * Adds `vault rotate-keys`. Exit code 0 when the first key of VAULT_KEYS seals everything, 1 when other keys are still
 * needed, 2 when nothing could be started.
 */
export function registerVaultRotation(
  program: Command,
  open: () => Promise<OpenVault>,
  output: RotationOutput,
): void {
  program
    .command('vault')
    .description('The keys that seal stored secrets')
    .command('rotate-keys')
    .description('seal everything with the first key of VAULT_KEYS, while the service runs; again goes on')
    .option('--dry-run', 'only count what other keys seal')
    .action(async (options: { dryRun?: boolean }) => {
      process.exitCode = await rotateKeys({ open, output, isDryRun: options.dryRun === true });
    });
}

async function rotateKeys(call: {
  readonly open: () => Promise<OpenVault>;
  readonly output: RotationOutput;
  readonly isDryRun: boolean;
}): Promise<number> {
  const { output } = call;
  try {
    const vault = await call.open();
    try {
      // Loaded only when it runs: it brings every module along.
      const { allSeals } = await import('./vault-seals.ts');
      if (!call.isDryRun) await resealAll(vault, output, allSeals);
      return await reportLeft(vault, output, allSeals);
    } finally {
      await vault.close();
    }
  } catch (error) {
    output.err(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

async function resealAll(
  { db, box }: OpenVault,
  output: RotationOutput,
  tables: readonly SealedTable[],
): Promise<void> {
  for (const table of tables) {
    const onProgress = (done: number): void => output.err(`${table.table}: ${done} values\n`);
    const values = await resealTable(db, box, { table, onProgress });
    output.out(`${table.table}: ${values} value(s) sealed with ${box.currentKeyId}\n`);
  }
}

/** What the service sealed meanwhile with a key that one of its processes still has in front. */
async function reportLeft(
  { db, box }: OpenVault,
  output: RotationOutput,
  tables: readonly SealedTable[],
): Promise<number> {
  const left = await countForeignSeals(db, box, tables);
  for (const { table, column, values } of left) {
    output.out(`${table}.${column}: ${values} value(s) are under other keys: keep those in VAULT_KEYS\n`);
  }
  if (left.length === 0) output.out(`Everything is sealed with ${box.currentKeyId}: the other keys may go\n`);
  return left.length === 0 ? 0 : 1;
}
