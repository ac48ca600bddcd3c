import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  clusterExists,
  clusterIn,
  createCluster,
  databaseUrl,
  giveFilesTo,
  removeHalfMadeClusters,
} from './cluster.ts';
import { ensureDatabase } from './connection.ts';
import { ExplainedError, explainFailure, wordsOf } from './failure.ts';
import { type FolderLock, type FolderLockOptions, lockFolder } from './folder-lock.ts';
import { findLauncher } from './launcher.ts';
import { watchLogSize } from './log-file.ts';
import {
  type Postmaster,
  type Site,
  adoptPostmaster,
  isOurs,
  startPostmaster,
  stopPostmaster,
} from './postmaster.ts';
import { readPostmasterFile } from './postmaster-file.ts';

/** A database of our own that is running. */
export type EmbeddedPostgres = {
  /** `postgres://voucher:…@127.0.0.1:<port>/voucher`; the role may create databases and extensions */
  url: string;
  /** true when a server left behind by a killed process was taken over instead of starting one */
  adopted: boolean;
  /** stops the server and lets go of the folder; may be called again */
  stop(): Promise<void>;
};

/** What a start needs. */
export type EmbeddedPostgresOptions = {
  /** a folder for this database alone; made when it is missing */
  dataDir: string;
  /** hears in plain words what happens */
  onProgress?: (text: string) => void;
  /** how long to wait for another process to let go of the folder; 10 seconds, enough for a server shutting down */
  lockWaitMs?: number;
};

/**
 * Starts the PostgreSQL that comes with the project on `dataDir`. Works for root and for any user, whatever an earlier start left behind: the folder's lock ends with its process, a server still running
 * is taken over, half-made clusters and stale files are cleared away. One process at a time owns the folder.
 * Meant for trying out, tests and small installations; a production system sets DATABASE_URL instead.
 * @throws Error whose message says what is wrong and what to do next
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const onProgress = options.onProgress ?? (() => undefined);
  const lock = await takeFolder({ folder: dataDir, waitMs: options.lockWaitMs ?? 10_000, onProgress });
  const site: Site = {
    dataDir,
    cluster: clusterIn(dataDir),
    logFile: join(dataDir, 'postgres.log'),
    onProgress,
  };
  let started: Postmaster | undefined;
  try {
    await removeHalfMadeClusters(dataDir);
    const adopted = clusterExists(dataDir) ? await adoptPostmaster(site) : undefined;
    started = adopted ?? (await startFresh(site));
    const url = await databaseUrl(site.cluster, started.port);
    await ensureDatabase(url);
    return { url, adopted: adopted !== undefined, stop: makeStop(site, started, lock) };
  } catch (error) {
    if (started !== undefined) await stopPostmaster(started.pid).catch(() => undefined);
    lock.release();
    throw explainFailure({ doing: 'Starting the database', text: wordsOf(error), dataDir }, error);
  }
}

/**
 * The address of the database another process runs on `dataDir` right now; undefined when there is none.
 * For commands that join a running server instead of owning the folder.
 */
export async function findRunningPostgres(options: { dataDir: string }): Promise<string | undefined> {
  const dataDir = resolve(options.dataDir);
  const cluster = clusterIn(dataDir);
  const file = clusterExists(dataDir) ? readPostmasterFile(cluster.filesDir) : undefined;
  if (file === undefined || !(await isOurs(cluster, file.pid))) return undefined;
  return databaseUrl(cluster, file.port);
}

async function takeFolder(options: FolderLockOptions): Promise<FolderLock> {
  const dataDir = options.folder;
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    return await lockFolder(options);
  } catch (error) {
    throw explainFailure(
      { doing: `Opening the data folder ${dataDir}`, text: wordsOf(error), dataDir },
      error,
    );
  }
}

async function startFresh(site: Site): Promise<Postmaster> {
  const launcher = await findLauncher(site.dataDir);
  if (!clusterExists(site.dataDir)) {
    site.onProgress('Creating the database (first start only, a few seconds)');
    await createCluster(site.dataDir, launcher);
  }
  await giveFilesTo(site.cluster.filesDir, launcher.ownerUid);
  return startPostmaster(site, launcher);
}

function makeStop(site: Site, postmaster: Postmaster, lock: FolderLock): () => Promise<void> {
  const stopWatching = watchLogSize(site.logFile);
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopWatching();
    try {
      await stopPostmaster(postmaster.pid);
    } finally {
      lock.release();
    }
  };
  return () => (stopped ??= stop());
}

export { ExplainedError as EmbeddedPostgresError };
