import { spawn } from 'node:child_process';
import { cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRunning, pollUntil } from './child-process.ts';
import { clusterIn } from './cluster.ts';
import { findRunningPostgres, startEmbeddedPostgres } from './index.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { stopPostmaster } from './postmaster.ts';
import { type Starter, makeFolder, startInProcess } from '../../../test/support/staged-project.ts';

let dataDir = '';
const starters: Starter[] = [];

beforeEach(async () => {
  dataDir = await makeFolder();
});

afterEach(async () => {
  for (const starter of starters.splice(0)) await starter.kill('SIGKILL');
  const orphan = readPostmasterFile(clusterIn(dataDir).filesDir);
  if (orphan !== undefined && orphan.pid !== process.pid) await stopPostmaster(orphan.pid);
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}, 60_000);

function start(options: { folder?: string; lockWaitMs?: number } = {}): Starter {
  const { folder = dataDir, lockWaitMs = 10_000 } = options;
  const starter = startInProcess({ dataDir: folder, lockWaitMs });
  starters.push(starter);
  return starter;
}

async function run(url: string, text: string): Promise<string | undefined> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ value: string }>(text)).rows[0]?.value;
  } finally {
    await client.end();
  }
}

function postmasterPid(): number {
  return readPostmasterFile(clusterIn(dataDir).filesDir)?.pid ?? 0;
}

describe('after kill -9 of the server process', { timeout: 90_000 }, () => {
  it('takes over the database that still runs, and stops it in the end', async () => {
    const first = start();
    const { url } = await first.ready;
    await first.kill('SIGKILL');
    const pid = postmasterPid();
    expect(isRunning(pid)).toBe(true);
    const second = start();
    expect(await second.ready).toEqual({ url, adopted: true });
    expect(postmasterPid()).toBe(pid);
    await second.stop();
    expect(isRunning(pid)).toBe(false);
  });

  it('keeps what was committed when the database was killed as well', async () => {
    const first = start();
    const { url } = await first.ready;
    await run(url, "CREATE TABLE kept AS SELECT 'committed' AS value");
    const pid = postmasterPid();
    await first.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    const second = await start().ready;
    expect(second.adopted).toBe(false);
    expect(await run(second.url, 'SELECT value FROM kept')).toBe('committed');
  });

  it('does not mistake another process with the recorded number for the database', async () => {
    await start().ready;
    const pid = postmasterPid();
    await starters[0]?.kill('SIGKILL');
    const pidFile = join(clusterIn(dataDir).filesDir, 'postmaster.pid');
    const text = await readFile(pidFile, 'utf8');
    await stopPostmaster(pid);
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore' });
    try {
      await writeFile(pidFile, text.replace(String(pid), String(stranger.pid)));
      expect((await start().ready).adopted).toBe(false);
      expect(stranger.exitCode).toBeNull();
      expect(stranger.signalCode).toBeNull();
    } finally {
      stranger.kill('SIGKILL');
    }
  });

  it('does not take over a database that runs on a copy of the folder', async () => {
    const first = start();
    const { url } = await first.ready;
    await first.kill('SIGKILL');
    const copyDir = await makeFolder();
    try {
      await cp(dataDir, copyDir, { recursive: true });
      expect(await findRunningPostgres({ dataDir })).toBe(url);
      const copy = start({ folder: copyDir });
      const answer = await copy.ready;
      expect(answer.adopted).toBe(false);
      expect(new URL(answer.url).port).not.toBe(new URL(url).port);
      await copy.stop();
    } finally {
      await rm(copyDir, { recursive: true, force: true });
    }
  });

  it('begins again when the cluster was only half made', async () => {
    const first = start();
    await pollUntil(
      async () => (await readdir(dataDir)).some((name) => name.startsWith('initialising-')),
      30_000,
    );
    await first.kill('SIGKILL');
    await expect(first.ready).rejects.toThrow('the starter ended');
    const second = await start().ready;
    expect(await run(second.url, "SELECT 'works' AS value")).toBe('works');
    expect((await readdir(dataDir)).filter((name) => name.startsWith('initialising-'))).toEqual([]);
  });

  it('clears away the remains of a half made cluster', async () => {
    await mkdir(join(dataDir, 'initialising-0123', 'files'), { recursive: true });
    await writeFile(join(dataDir, 'initialising-0123', 'password'), 'left behind');
    await start().ready;
    expect(await readdir(dataDir)).not.toContain('initialising-0123');
  });
});

describe('two starters on one folder', { timeout: 90_000 }, () => {
  it('names the process that holds the folder and says what to do', async () => {
    const first = start();
    await first.ready;
    const second = start({ lockWaitMs: 200 });
    await expect(second.ready).rejects.toThrow(
      new RegExp(`in use by process ${first.pid} .*Stop it \\(kill ${first.pid}\\).*DATABASE_URL`),
    );
    expect(second.progress[0]).toContain(`Waiting for process ${first.pid}`);
  });

  it('lets the second one in as soon as the first has stopped', async () => {
    const first = start();
    await first.ready;
    const second = start();
    await pollUntil(() => second.progress.length > 0, 30_000);
    await first.stop();
    expect((await second.ready).adopted).toBe(false);
  });

  it('creates one cluster when both find an empty folder', async () => {
    const pair = [start(), start()];
    const winner = await Promise.race(
      pair.map(async (starter) => ({ starter, answer: await starter.ready })),
    );
    await winner.starter.stop();
    const loser = pair.find((starter) => starter !== winner.starter);
    expect(await loser?.ready).toEqual(winner.answer);
  });

  it('holds the folder against a second start in the same process too', async () => {
    const first = await startEmbeddedPostgres({ dataDir });
    try {
      await expect(startEmbeddedPostgres({ dataDir, lockWaitMs: 0 })).rejects.toThrow(
        `in use by process ${process.pid}`,
      );
    } finally {
      await first.stop();
    }
  });
});

describe('a stubborn database', { timeout: 90_000 }, () => {
  it('is refused when it does not accept the stored password', async () => {
    const first = start();
    await first.ready;
    await first.kill('SIGKILL');
    await writeFile(clusterIn(dataDir).passwordFile, 'changed by hand');
    await expect(start().ready).rejects.toThrow(/refuses the password .*Put the right password back/);
  });

  it('is replaced when it hangs', async () => {
    const first = start();
    await first.ready;
    const pid = postmasterPid();
    await first.kill('SIGKILL');
    process.kill(pid, 'SIGSTOP');
    const second = await start().ready;
    expect(second.adopted).toBe(false);
    expect(isRunning(pid)).toBe(false);
  });
});
