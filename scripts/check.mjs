/**
 * Everything that must hold before a change is handed in, in order, ending at the first that does not:
 * `npm run check`, with `-- --skip-tests` for all but the tests.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InstallError, ensureInstalled } from './install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const binaries = join(root, 'node_modules', '.bin');
const sources = ['server', 'sandbox', 'storefront', 'console', 'bench'].filter((name) =>
  existsSync(join(root, name)),
);

/** Each: what it proves, the tool with its arguments, and what to do when it fails. */
const steps = [
  ['format', ['oxfmt', '--check', '.'], 'npm run format puts it right'],
  ['lint', ['oxlint', '--type-aware', '--deny-warnings'], 'each line above names its rule'],
  ['types', ['tsc', '-p', 'tsconfig.json'], 'see the errors above'],
  [
    'boundaries',
    ['depcruise', '--config', '.dependency-cruiser.mjs', '--output-type', 'err', ...sources],
    'who may import whom is the table in server/module-graph.mjs',
  ],
  ['generated files', ['node', 'server/src/main.ts', 'regen', '--check'], 'npm run regen writes them anew'],
  ['tests', ['vitest', 'run'], 'npx vitest run <file> repeats one'],
];

function runStep([name, [tool, ...args], advice]) {
  console.log(`\n== ${name}: ${[tool, ...args].join(' ')}`);
  const startedAt = performance.now();
  // Tools start with "env node": with this path that is the project's own Node 24, whichever one runs this script.
  const env = { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH}` };
  const result = spawnSync(tool, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const passed = result.status === 0;
  if (result.error) console.log(`${tool} could not be started: ${result.error.message}`);
  console.log(
    passed ? `== ${name}: passed in ${seconds} s` : `== ${name}: FAILED after ${seconds} s (${advice})`,
  );
  return passed;
}

async function main() {
  console.log('== dependencies: npm ci, by the lock file');
  await ensureInstalled({ always: Boolean(process.env.CI) });
  console.log(`== dependencies: in step, ${readdirSync(join(root, 'node_modules')).length} folders`);
  const wanted = steps.filter(([name]) => name !== 'tests' || !process.argv.includes('--skip-tests'));
  const failed = wanted.find((step) => !runStep(step));
  console.log(
    failed === undefined ? `\nAll ${wanted.length} checks passed.` : `\nStopped: ${failed[0]} failed.`,
  );
  return failed === undefined ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof InstallError ? error.message : error);
  process.exitCode = 1;
}
