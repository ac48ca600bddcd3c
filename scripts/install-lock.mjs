import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A lock directory for the install: it runs on old Node versions, before any library is there. It lists the processes
 * that work under it, each with its start time, so that a number which was given to another process is not mistaken.
 * It is stale when all of them are gone: npm may outlive the script that started it.
 */

/** A lock without a list of processes is only just being made, unless it is older than this. */
const bareLockMs = 5_000;

/**
 * Takes the lock, waiting for other holders.
 * @param {string} folder the lock directory
 * @param {(holders: string) => void} onWait called once when there is a wait
 * @returns {Promise<{ add(pid: number): void, release(): void }>} `add` puts another process on the list
 */
export async function takeLock(folder, onWait) {
  let told = false;
  while (!tryToTake(folder)) {
    if (!told) onWait(readOwners(folder).pids.join(', ') || 'another process');
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return {
    add: (pid) => writeFileSync(join(folder, 'owners'), `${readText(folder)}${describe(pid)}\n`),
    release: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function tryToTake(folder) {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    removeIfStale(folder);
    return false;
  }
  writeFileSync(join(folder, 'owners'), `${describe(process.pid)}\n`);
  return true;
}

function removeIfStale(folder) {
  const owners = readOwners(folder);
  if (owners.alive) return;
  const aside = `${folder}.stale-${process.pid}`;
  try {
    renameSync(folder, aside);
  } catch {
    return;
  }
  // Someone quicker may have cleared it and taken it anew since we looked: then give it back.
  if (readText(aside) !== owners.text) renameSync(aside, folder);
  else rmSync(aside, { recursive: true, force: true });
}

function readText(folder) {
  try {
    return readFileSync(join(folder, 'owners'), 'utf8');
  } catch {
    return '';
  }
}

function readOwners(folder) {
  const text = readText(folder);
  const lines = text.split('\n').filter((line) => line !== '');
  const pids = lines.map((line) => line.split(' ')[0]);
  if (lines.length === 0) return { text, pids, alive: ageMs(folder) < bareLockMs };
  return { text, pids, alive: lines.some((line) => describe(Number(line.split(' ')[0])) === line) };
}

function ageMs(folder) {
  try {
    return Date.now() - statSync(folder).mtimeMs;
  } catch {
    return 0;
  }
}

/** Process id and, where it can be known, when it started. Differs from every line written for a process now gone. */
function describe(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return `${pid} gone`;
  }
  if (process.platform !== 'linux') return `${pid} running`;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? `${pid} gone` : `${pid} ${fields[19]}`;
  } catch {
    return `${pid} gone`;
  }
}
