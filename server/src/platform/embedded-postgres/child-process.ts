import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A finished program: its exit code (null when a signal ended it) and everything it printed. */
export type Finished = { code: number | null; output: string };

/** One program to run; uid and gid only when we are root and want to be someone else. */
export type Command = {
  file: string;
  args: readonly string[];
  cwd: string;
  uid?: number;
  gid?: number;
};

// Nothing of our environment reaches PostgreSQL: PGDATA, PGPORT or LD_LIBRARY_PATH would change what it does,
// and our secrets have no business in its /proc entry.
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

function spawnOptions(command: Command): { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number } {
  const identity = command.uid === undefined ? {} : { uid: command.uid, gid: command.gid ?? command.uid };
  return { cwd: command.cwd, env: environment(), ...identity };
}

/**
 * Runs a program to its end and collects what it prints.
 * @throws the spawn error (ENOENT, EACCES, EPERM …) when it could not be started at all.
 */
export function runToEnd(command: Command): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(command.file, [...command.args], {
      ...spawnOptions(command),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString('utf8');
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

/**
 * Starts a program that outlives us if we are killed, in a session of its own so that Ctrl-C in our terminal
 * does not reach it: the server drains first, then stops its database. It does not keep our process alive.
 * @returns its process id
 * @throws the spawn error when it could not be started.
 */
export function startDetached(command: Command, outputFd: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command.file, [...command.args], {
      ...spawnOptions(command),
      detached: true,
      stdio: ['ignore', outputFd, outputFd],
    });
    child.once('error', reject);
    child.once('spawn', () => {
      child.unref();
      resolve(child.pid ?? 0);
    });
  });
}

/** Whether a process with this id runs now. A zombie has ended: where nobody reaps orphans it stays in the table. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return true;
  }
}

/** Waits until `done` is true, asking every 20 ms. @returns false when the time was over first */
export async function pollUntil(done: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await done())) {
    if (performance.now() >= deadlineMs) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}
