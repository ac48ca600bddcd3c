import { closeSync } from 'node:fs';
import { isRunning, pollUntil, startDetached } from './child-process.ts';
import { type Cluster, databaseUrl } from './cluster.ts';
import { isNotReadyYet, isRefused, readServerIdentity } from './connection.ts';
import { ExplainedError, explainFailure } from './failure.ts';
import { type Launcher, workingFolderName } from './launcher.ts';
import { logSizeBytes, openLog, readLog } from './log-file.ts';
import { findFreePort, readPort, rememberPort } from './port.ts';
import { parsePostmasterFile, readPostmasterFile, removePostmasterFile, worksIn } from './postmaster-file.ts';

/** Recovery after a crash replays at most a few checkpoints; two minutes is far more than it needs. */
const readyWithinMs = 120_000;
const stopWithinMs = 5_000;
const answerWithinMs = 5_000;

/** A server that accepts connections. */
export type Postmaster = { pid: number; port: number };

/** Everything a start works with. */
export type Site = { dataDir: string; cluster: Cluster; logFile: string; onProgress: (text: string) => void };

// Durable (fsync, synchronous_commit), reachable from this machine only, and quiet: neither statements nor key values
// reach the log, because codes are among them. A vanished client's statement is cancelled within two seconds.
const settings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_level: 'replica',
  max_wal_size: '1GB',
  random_page_cost: '1.1',
  jit: 'off',
  client_connection_check_interval: '2s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_parameter_max_length_on_error: '0',
};

/**
 * Starts PostgreSQL on a cluster and waits until it accepts connections. Keeps the port of the last start if it can.
 * @throws Error that says what to do
 */
export async function startPostmaster(site: Site, launcher: Launcher): Promise<Postmaster> {
  const attempts = 5;
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort(await readPort(site.cluster.portFile));
    const logStartBytes = logSizeBytes(site.logFile);
    const pid = await spawnPostmaster(site, launcher, port);
    if (await becomesReady(site, pid)) {
      await rememberPort(site.cluster.portFile, port);
      return { pid, port };
    }
    const text = readLog(site.logFile, logStartBytes);
    if (attempt === attempts || !mayPassOnRetry(text)) {
      throw explainFailure({ doing: 'Starting the database', text, dataDir: site.dataDir });
    }
    site.onProgress('The database is still being let go by an earlier process; trying again');
    await pollUntil(() => false, 200 * attempt);
  }
}

// The port was taken since we looked, or children of a postmaster that was killed are still leaving.
function mayPassOnRetry(text: string): boolean {
  return /Address already in use|pre-existing shared memory block|lock file "postmaster.pid" already exists/.test(
    text,
  );
}

async function spawnPostmaster(site: Site, launcher: Launcher, port: number): Promise<number> {
  const { filesDir } = site.cluster;
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = launcher.command('postgres', filesDir, [
    '-D',
    workingFolderName(filesDir),
    '-p',
    String(port),
    ...options,
  ]);
  const log = openLog(site.logFile);
  try {
    return await startDetached(command, log);
  } finally {
    closeSync(log);
  }
}

/** @returns false when the process ended instead */
async function becomesReady(site: Site, pid: number): Promise<boolean> {
  const startedAtMs = performance.now();
  let told = false;
  const settled = await pollUntil(() => {
    if (!told && performance.now() - startedAtMs > 2_000) {
      site.onProgress('The database is recovering from an unclean stop; this can take a minute');
      told = true;
    }
    return !isRunning(pid) || isReady(site.cluster.filesDir, pid);
  }, readyWithinMs);
  if (!settled) await stopPostmaster(pid);
  return settled && isRunning(pid);
}

function isReady(filesDir: string, pid: number): boolean {
  const file = readPostmasterFile(filesDir);
  return file?.pid === pid && file.state === 'ready';
}

/**
 * Finds a server that a killed process left running on this cluster, and proves it is ours: it works in our folder,
 * accepts our password and reads the very `postmaster.pid` we read. Clears away a `postmaster.pid` without a server.
 * Only with the folder lock held.
 * @throws Error when it runs in our folder but refuses our password
 */
export async function adoptPostmaster(site: Site): Promise<Postmaster | undefined> {
  const { filesDir } = site.cluster;
  const file = readPostmasterFile(filesDir);
  if (file === undefined || !worksIn(file.pid, filesDir)) {
    removePostmasterFile(filesDir);
    return undefined;
  }
  site.onProgress(`Taking over the database that an earlier process left running (pid ${file.pid})`);
  const isGone = (): boolean => !isRunning(file.pid);
  await pollUntil(() => isGone() || readPostmasterFile(filesDir)?.state !== 'starting', readyWithinMs);
  const answers = await pollUntil(() => isGone() || isOurs(site.cluster, file.pid), answerWithinMs);
  if (answers && !isGone()) return { pid: file.pid, port: file.port };
  await stopPostmaster(file.pid, ['SIGQUIT', 'SIGKILL']);
  removePostmasterFile(filesDir);
  return undefined;
}

/** Whether the server of this cluster, with this process id, answers to our password. */
export async function isOurs(cluster: Cluster, pid: number): Promise<boolean> {
  const file = readPostmasterFile(cluster.filesDir);
  if (file?.pid !== pid) return false;
  try {
    const seen = parsePostmasterFile(await readServerIdentity(await databaseUrl(cluster, file.port)));
    return seen?.pid === pid && seen.startedAtSeconds === file.startedAtSeconds && seen.port === file.port;
  } catch (error) {
    if (isRefused(error)) throw refusedPassword(cluster, pid);
    if (!isNotReadyYet(error) && !isConnectionError(error)) throw error;
    return false;
  }
}

function isConnectionError(error: unknown): boolean {
  return error instanceof Error && /ECONNREFUSED|ECONNRESET|timeout|terminated/i.test(error.message);
}

function refusedPassword(cluster: Cluster, pid: number): ExplainedError {
  return new ExplainedError(
    `The database that runs in ${cluster.filesDir} (pid ${pid}) refuses the password in ${cluster.passwordFile}. ` +
      'Put the right password back into that file, or set DATABASE_URL to the database you want to use.',
  );
}

/**
 * Stops a server: sessions are ended and a checkpoint is written (SIGINT). One that needs longer than 5 seconds is
 * told to leave at once (SIGQUIT); nothing committed is lost, the next start replays the log.
 * @throws Error when the process stays even then
 */
export async function stopPostmaster(
  pid: number,
  signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGKILL'],
): Promise<void> {
  for (const signal of signals) {
    if (!signalProcess(pid, signal)) return;
    if (await pollUntil(() => !isRunning(pid), stopWithinMs)) return;
  }
  throw new ExplainedError(
    `The database process ${pid} does not stop. End it by hand (kill -9 ${pid}) and start again.`,
  );
}

function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  if (!isRunning(pid)) return false;
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
