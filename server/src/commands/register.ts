import type { Command } from 'commander';

import { readConfig } from '../config.ts';
import { registerEvents } from './events.ts';
import { registerStockImport } from './stock-import.ts';
import { registerVaultRotation } from './vault-rotate.ts';

/** Every command; each loads its code only when it runs, so that `--help` is quick. */
export function registerCommands(program: Command): void {
  program
    .command('start')
    .description(
      'everything on this machine: database, migrations, demo, sandbox, service (what npm start runs)',
    )
    .action(async () => {
      const { start } = await import('./start.ts');
      await start(readConfig(process.env), { withEverything: true });
    });
  program
    .command('serve')
    .description('the service alone, on DATABASE_URL, which must be migrated')
    .action(async () => {
      const { start } = await import('./start.ts');
      await start(readConfig(process.env), { withEverything: false });
    });
  program
    .command('migrate')
    .description('bring the database of DATABASE_URL up to this version')
    .option('--dry-run', 'only list what would be applied')
    .action(async (options: { dryRun?: boolean }) => {
      const { migrateDatabase } = await import('./migrate.ts');
      await migrateDatabase(readConfig(process.env), options.dryRun ?? false);
    });
  program
    .command('demo')
    .description('walk the main job on a running service: sign in, order, pay, read the e-mail')
    .option('--url <url>', 'address of the service', 'http://127.0.0.1:3000')
    .option('--sandbox <url>', 'address of its sandbox', 'http://127.0.0.1:3001')
    .action(async (options: { url: string; sandbox: string }) => {
      const { walkMainJob } = await import('./demo.ts');
      await walkMainJob(options);
    });
  program
    .command('regen')
    .description('write docs/generated and the drawing in ARCHITECTURE.md out of the program')
    .option('--check', 'write nothing; fail when they are out of step')
    .action(async (options: { check?: boolean }) => {
      const { regenerateDocs } = await import('./regen.ts');
      await regenerateDocs({ isCheck: options.check ?? false });
    });
  registerEvents(program, {
    open: async () => {
      const { openVault } = await import('./open-vault.ts');
      return openVault(readConfig(process.env));
    },
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    signal: untilInterrupted,
  });
  registerStockImport(program, async () => {
    const { openVault } = await import('./open-vault.ts');
    return openVault(readConfig(process.env));
  });
  registerVaultRotation(
    program,
    async () => {
      const { openVault } = await import('./open-vault.ts');
      return openVault(readConfig(process.env));
    },
    { out: (text) => void process.stdout.write(text), err: (text) => void process.stderr.write(text) },
  );
}

/** Ctrl-C ends a command that would go on for ever, in good order. */
function untilInterrupted(): AbortSignal {
  const ending = new AbortController();
  process.once('SIGINT', () => ending.abort());
  process.once('SIGTERM', () => ending.abort());
  return ending.signal;
}
