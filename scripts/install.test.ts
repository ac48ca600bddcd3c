import { spawn, spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

// A project with the real install script and the real npm, whose only dependencies are folders: nothing is downloaded.
const scripts = resolve(import.meta.dirname);
const bundled = `node-${process.platform}-${process.arch}`;
let place = '';
let prepared = '';
const running = new Set<number>();

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'voucher-install-'));
  prepared = join(place, 'prepared');
  await mkdir(join(prepared, 'packages/node/bin'), { recursive: true });
  await cp(scripts, join(prepared, 'scripts'), { recursive: true });
  await writeJson(join(prepared, 'package.json'), {
    name: 'planted',
    version: '1.0.0',
    dependencies: { [bundled]: 'file:packages/node' },
  });
  await writeJson(join(prepared, 'packages/node/package.json'), {
    name: bundled,
    version: '24.0.0',
    bin: { node: 'bin/node' },
  });
  await writeFile(join(prepared, 'packages/node/bin/node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
  await chmod(join(prepared, 'packages/node/bin/node'), 0o755);
  npm(prepared, ['install', '--package-lock-only', '--offline', '--ignore-scripts']);
}, 60_000);

afterEach(() => {
  for (const pid of running) process.kill(pid, 'SIGKILL');
  running.clear();
});

afterAll(async () => {
  await rm(place, { recursive: true, force: true });
});

async function writeJson(path: string, content: object): Promise<void> {
  await writeFile(path, JSON.stringify(content, undefined, 2));
}

function npm(cwd: string, args: string[]): void {
  const result = spawnSync('npm', args, { cwd, encoding: 'utf8' });
  if (result.status !== 0) throw new Error(result.stderr);
}

async function freshProject(): Promise<string> {
  const project = await mkdtemp(join(place, 'project-'));
  await cp(prepared, project, { recursive: true });
  return project;
}

type Outcome = { code: number | null; words: string };

/** Runs the install script without what npm itself would have set; `onWords` hears all it has said so far. */
function install(project: string, onWords: (words: string) => void = () => undefined): Promise<Outcome> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  const child = spawn(process.execPath, [join(project, 'scripts/install.mjs')], {
    env: { ...Object.fromEntries(own), npm_config_offline: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let words = '';
  const collect = (chunk: Buffer): void => {
    words += chunk.toString();
    onWords(words);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return new Promise((done) => child.once('close', (code) => done({ code, words })));
}

async function installedAt(project: string): Promise<number> {
  return (await stat(join(project, 'node_modules', '.package-lock.json'))).mtimeMs;
}

describe('starting with dependencies missing', { timeout: 60_000 }, () => {
  it('installs them, says how long it took, and the bundled Node is ready to run', async () => {
    const project = await freshProject();
    const outcome = await install(project);
    expect(outcome.words).toMatch(/Installing the dependencies[^]*Dependencies installed in [\d.]+ s\./);
    expect(outcome.code).toBe(0);
    const node = spawnSync(join(project, 'node_modules/.bin/node'), ['--version'], { encoding: 'utf8' });
    expect(node.stdout.trim()).toBe(process.version);
  });

  it('says nothing and does nothing the second time', async () => {
    const project = await freshProject();
    await install(project);
    const before = await installedAt(project);
    expect(await install(project)).toEqual({ code: 0, words: '' });
    expect(await installedAt(project)).toBe(before);
  });

  it('accepts what a plain npm ci has installed', async () => {
    const project = await freshProject();
    npm(project, ['ci', '--ignore-scripts', '--offline']);
    expect(await install(project)).toEqual({ code: 0, words: '' });
  });

  it('installs again when the lock file asks for another version', async () => {
    const project = await freshProject();
    await install(project);
    const path = join(project, 'package-lock.json');
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll('24.0.0', '24.0.1'));
    const manifest = join(project, 'packages/node/package.json');
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('24.0.0', '24.0.1'));
    expect((await install(project)).words).toContain('Dependencies installed');
  });

  it('installs again when the bundled Node is gone', async () => {
    const project = await freshProject();
    await install(project);
    await rm(join(project, 'node_modules/.bin/node'));
    expect((await install(project)).words).toContain('Dependencies installed');
  });

  it('ends with status 1, the words of npm and what to do when npm fails', async () => {
    const project = await freshProject();
    await writeJson(join(project, 'package.json'), {
      name: 'planted',
      version: '1.0.0',
      dependencies: { [bundled]: 'file:packages/node', another: 'file:packages/another' },
    });
    const outcome = await install(project);
    expect(outcome.code).toBe(1);
    expect(outcome.words).toContain('npm error code EUSAGE');
    expect(outcome.words).toContain('do not agree: run npm install');
  });
});

describe('two starts at once', { timeout: 60_000 }, () => {
  it('install once, the second waiting for the first', async () => {
    const project = await freshProject();
    const outcomes = await Promise.all([install(project), install(project)]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    const words = outcomes.map((outcome) => outcome.words).join('');
    expect(words.match(/Dependencies installed/g)).toHaveLength(1);
  });

  it('clear away the lock of a process that is gone', async () => {
    const project = await freshProject();
    const gone = spawnSync('true').pid;
    await mkdir(join(project, '.install-lock'));
    await writeFile(join(project, '.install-lock/owners'), `${gone} 12345\n`);
    expect((await install(project)).words).toContain('Dependencies installed');
    await expect(stat(join(project, '.install-lock'))).rejects.toThrow('ENOENT');
  });

  it('clear away the lock of a number that another process has now', async () => {
    const project = await freshProject();
    await mkdir(join(project, '.install-lock'));
    await writeFile(join(project, '.install-lock/owners'), `${process.pid} 1\n`);
    expect((await install(project)).words).toContain('Dependencies installed');
  });

  it('wait for the npm of a start that was killed', async () => {
    const project = await freshProject();
    const stillWorking = spawn('sleep', ['60'], { stdio: 'ignore' });
    const pid = stillWorking.pid ?? 0;
    running.add(pid);
    await mkdir(join(project, '.install-lock'));
    const record = await readFile(`/proc/${pid}/stat`, 'utf8');
    const startTime = record.slice(record.lastIndexOf(')') + 2).split(' ')[19];
    await writeFile(join(project, '.install-lock/owners'), `1 gone\n${pid} ${startTime}\n`);
    let stillHeld = true;
    const second = await install(project, (words) => {
      if (!stillHeld || !words.includes(`Another install is running here (process 1, ${pid})`)) return;
      stillHeld = false;
      stillWorking.kill('SIGKILL');
      running.delete(pid);
    });
    expect(stillHeld).toBe(false);
    expect(second.words).toMatch(/Another install is running here[^]*Dependencies installed/);
  });
});

describe('a machine without a usable Node 24', { timeout: 60_000 }, () => {
  it('is told which Node to install', async () => {
    const project = await freshProject();
    await writeFile(join(project, 'packages/node/bin/node'), '#!/bin/sh\necho v20.19.0\n');
    const outcome = await install(project);
    expect(outcome.code).toBe(1);
    expect(outcome.words).toMatch(/needs Node 24 or newer[^]*nvm install 24/);
  });

  it('uses its own when the bundled one does not run there', async () => {
    const project = await freshProject();
    await writeFile(join(project, 'packages/node/bin/node'), '#!/lib/ld-of-another-system\n');
    const outcome = await install(project);
    expect(outcome.code).toBe(0);
    await expect(stat(join(project, 'node_modules/.bin/node'))).rejects.toThrow('ENOENT');
    expect(await install(project)).toEqual({ code: 0, words: '' });
  });
});
