import { Command } from 'commander';

import { registerCommands } from './commands/register.ts';

const program = new Command('voucher-commerce').description('Voucher commerce service').showHelpAfterError();
registerCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  // A person reads this: the sentence, not the stack. DEBUG=1 shows both.
  console.error(`\n${(error as Error).message}`);
  if (process.env['DEBUG']) console.error(error);
  process.exit(1);
}
