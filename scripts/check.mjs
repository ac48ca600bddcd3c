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

/** In the order they run, the quick ones first. `advice` is what to do when it fails. */
const steps = [
  { name: 'format', command: ['oxfmt', '--check', '.'], advice: 'npm run format puts it right' },
  {
    name: 'lint',
    command: ['oxlint', '--type-aware', '--deny-warnings'],
    advice: 'each finding names its rule',
  },
  { name: 'types', command: ['tsc', '-p', 'tsconfig.json'], advice: 'see the errors above' },
  {
    name: 'boundaries',
    command: ['depcruise', '--config', '.dependency-cruiser.mjs', '--output-type', 'err', ...sources],
    advice: 'who may import whom is the table in server/module-graph.mjs',
  },
  {
    name: 'generated files',
    command: ['node', 'server/src/main.ts', 'regen', '--check'],
    advice: 'npm run regen writes them anew',
  },
  { name: 'tests', command: ['vitest', 'run'], advice: 'npx vitest run <file> repeats one' },
];

function runStep({ name, command: [tool, ...args], advice }) {
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
  await ensureInstalled({ always: !['', 'false', '0'].includes(process.env.CI ?? '') });
  console.log(`== dependencies: in step, ${readdirSync(join(root, 'node_modules')).length} folders`);
  const wanted = steps.filter(({ name }) => name !== 'tests' || !process.argv.includes('--skip-tests'));
  const failed = wanted.find((step) => !runStep(step));
  console.log(failed ? `\nStopped: ${failed.name} failed.` : `\nAll ${wanted.length} checks passed.`);
  return failed ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof InstallError ? error.message : error);
  process.exitCode = 1;
}
