import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, lchown, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runToEnd } from './child-process.ts';
import { explainFailure, wordsOf } from './failure.ts';
import { type Launcher, workingFolderName } from './launcher.ts';

/** Role that owns everything; its password is the one in the cluster's `password` file. */
export const roleName = 'voucher';

/** Where the parts of a cluster are. All of it appears at once, by one rename, when it is complete. */
export type Cluster = { filesDir: string; passwordFile: string; portFile: string };

const clusterName = 'cluster';
const stagingPrefix = 'initialising-';

/** The places inside a data folder. */
export function clusterIn(dataDir: string): Cluster {
  return placesIn(join(dataDir, clusterName));
}

function placesIn(home: string): Cluster {
  return {
    filesDir: join(home, 'files'),
    passwordFile: join(home, 'password'),
    portFile: join(home, 'port'),
  };
}

export function clusterExists(dataDir: string): boolean {
  return existsSync(clusterIn(dataDir).passwordFile);
}

/** Removes what starts that were killed half-way left behind. Only with the folder lock held. */
export async function removeHalfMadeClusters(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(stagingPrefix)) continue;
    // An initdb whose starter was killed may still be writing into it.
    await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/**
 * Makes a new cluster: UTF-8, C.UTF-8 order (the same on every platform), page checksums, scram-sha-256 with a
 * password of 192 random bits that never leaves the folder.
 * @throws Error that says what to do
 */
export async function createCluster(dataDir: string, launcher: Launcher): Promise<void> {
  const staging = join(dataDir, `${stagingPrefix}${randomBytes(6).toString('hex')}`);
  const places = placesIn(staging);
  const ourUid = process.getuid?.() ?? 0;
  try {
    await mkdir(places.filesDir, { recursive: true, mode: 0o700 });
    await writeFile(places.passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
    await changeOwner(staging, launcher.ownerUid);
    await initialise(places, launcher);
    // The password is ours again: the server itself keeps only a salted hash of it.
    for (const path of [staging, places.passwordFile]) await chownIfNeeded(path, ourUid);
    await rename(staging, join(dataDir, clusterName));
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    throw explainFailure({ doing: 'Creating the database', text: wordsOf(error), dataDir }, error);
  }
}

async function initialise(places: Cluster, launcher: Launcher): Promise<void> {
  const attempts: string[] = [];
  // The libc locale decides what counts as a letter for trigram search; a few systems lack C.UTF-8.
  for (const locale of ['C.UTF-8', 'C']) {
    const args = [
      `--pgdata=${workingFolderName(places.filesDir)}`,
      `--username=${roleName}`,
      '--pwfile=../password',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--data-checksums',
      `--locale=${locale}`,
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ];
    const finished = await runToEnd(launcher.command('initdb', places.filesDir, args));
    if (finished.code === 0) return;
    attempts.push(finished.output);
    if (!finished.output.includes('invalid locale')) break;
  }
  throw new Error(attempts.join('\n'));
}

/** Hands the cluster to the user PostgreSQL runs as, in case an earlier start had to use another one. */
export async function giveFilesTo(filesDir: string, ownerUid: number): Promise<void> {
  if ((await stat(filesDir)).uid !== ownerUid) await changeOwner(filesDir, ownerUid);
}

async function changeOwner(folder: string, uid: number): Promise<void> {
  if (process.getuid?.() !== 0) return;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, uid);
  }
  await chownIfNeeded(folder, uid);
}

async function chownIfNeeded(path: string, uid: number): Promise<void> {
  if ((await stat(path)).uid !== uid) await chown(path, uid, uid);
}

/** The address of the application's database on a cluster. */
export async function databaseUrl(cluster: Cluster, port: number): Promise<string> {
  const password = (await readFile(cluster.passwordFile, 'utf8')).trim();
  return `postgres://${roleName}:${password}@127.0.0.1:${port}/voucher`;
}
