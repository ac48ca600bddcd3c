/**
 * Brings node_modules in step with package-lock.json, before start, test and demo. It does nothing (in a few
 * milliseconds) when they already are. Plain JavaScript for Node 18 and newer: it runs before Node 24, which the
 * project needs and which npm installs with it, is there.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeLock } from './install-lock.mjs';

const neededMajor = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lockFile = join(root, 'package-lock.json');
const modules = join(root, 'node_modules');
const marker = join(modules, '.installed-lock-sha256');
const unusableNode = join(modules, '.bundled-node-unusable');

/** The Node 24 that npm installs on Linux. */
export const bundledNode = join(modules, '.bin', 'node');

/**
 * Installs if needed. Ends the process with status 1 and npm's own words when that fails.
 * @param {{ always?: boolean }} options `always` installs even when nothing seems to have changed
 */
export async function ensureInstalled({ always = false } = {}) {
  if (always || !isInStep()) {
    const lock = await takeLock(join(root, '.install-lock'), (holders) =>
      say(`Another install is running here (process ${holders}); waiting for it.`),
    );
    try {
      if (always || !isInStep()) await install(lock);
    } finally {
      lock.release();
    }
  }
  requireNode();
}

function isInStep() {
  if (!existsSync(join(modules, '.package-lock.json'))) return false;
  if (bundlesNode() && !existsSync(bundledNode) && !existsSync(unusableNode)) return false;
  const hash = lockHash();
  if (readOr(marker, '') === hash) return true;
  if (!sameVersionsInstalled()) return false;
  writeMarker(hash);
  return true;
}

function lockHash() {
  return createHash('sha256').update(readFileSync(lockFile)).digest('hex');
}

/** After a plain `npm ci` there is no mark of ours, but npm leaves a list of what it put there when it has finished. */
function sameVersionsInstalled() {
  const wanted = JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  const present = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages;
  const isThere = (path) => wanted[path].optional || !path.includes('node_modules/') || path in present;
  const isSame = (path) =>
    wanted[path]?.version === present[path].version && wanted[path]?.integrity === present[path].integrity;
  return Object.keys(wanted).every(isThere) && Object.keys(present).every(isSame);
}

function writeMarker(hash) {
  try {
    writeFileSync(marker, hash);
  } catch {
    // A node_modules we may not write is compared again next time.
  }
}

async function install(lock) {
  const startedAt = Date.now();
  say('Installing the dependencies (only when they changed; usually a minute or less) ...');
  const result = await runNpm(lock, startedAt);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  if (result.code !== 0)
    fail(
      `npm ci failed after ${seconds} s. It said:\n\n${wordsOfNpm(result.output)}\n\n${adviceFor(result.output)}`,
    );
  setAsideUnusableNode();
  writeMarker(lockHash());
  say(`Dependencies installed in ${seconds} s.`);
}

/** Without its warnings about the Node it runs on: the project itself runs on the Node it installs. */
function wordsOfNpm(output) {
  return output.replaceAll(/^npm warn EBADENGINE.*\n?/gm, '').trim();
}

function adviceFor(output) {
  if (/EUSAGE|in sync/.test(output))
    return 'package.json and package-lock.json do not agree: run npm install, then start again.';
  if (/ENOSPC/.test(output)) return 'The disk is full: free 1 GB and start again.';
  if (/EACCES|EPERM|EROFS/.test(output))
    return `This user may not write ${modules}: correct that and start again.`;
  return 'If the network or the registry (npm config get registry) is the reason, correct that and start again.';
}

/** Runs npm with the Node that came with it: the one in node_modules is about to be replaced. */
function runNpm(lock, startedAt) {
  // Also what NODE_ENV=production or an omit setting of the machine would leave out, so that it is the same everywhere.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--include=dev', '--include=optional'];
  const npmScript = process.env.npm_execpath;
  const ownNode = process.env.npm_node_execpath;
  const viaNode =
    npmScript !== undefined &&
    /npm-cli\.c?js$/.test(npmScript) &&
    ownNode !== undefined &&
    existsSync(ownNode);
  const [file, allArgs] = viaNode ? [ownNode, [npmScript, ...args]] : ['npm', args];
  return new Promise((resolve) => {
    const child = spawn(file, allArgs, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    if (child.pid !== undefined) lock.add(child.pid);
    let output = '';
    const collect = (chunk) => (output += chunk);
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const passOn = (signal) => child.kill(signal);
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, passOn);
    const stopProgress = showProgress(startedAt);
    const finish = (code, words) => {
      stopProgress();
      for (const signal of ['SIGTERM', 'SIGINT']) process.off(signal, passOn);
      resolve({ code, output: output + words });
    };
    child.once('error', (error) => finish(1, `npm could not be started: ${error.message}`));
    child.once('close', (code, signal) =>
      finish(code ?? 1, signal === null ? '' : `npm was ended by ${signal}`),
    );
  });
}

/** One line that counts up on a terminal, a new line every five seconds elsewhere. */
function showProgress(startedAt) {
  const terminal = process.stderr.isTTY;
  const timer = setInterval(
    () => {
      const seconds = Math.round((Date.now() - startedAt) / 1000);
      process.stderr.write(terminal ? `\r  ${seconds} s ` : `  still installing, ${seconds} s\n`);
    },
    terminal ? 1_000 : 5_000,
  );
  return () => {
    clearInterval(timer);
    if (terminal) process.stderr.write('\r        \r');
  };
}

/** Which Node the scripts of the project will get: npm looks into node_modules/.bin first. */
function requireNode() {
  const isBundled = existsSync(bundledNode) && realpathSync(bundledNode) === realpathSync(process.execPath);
  const version = isBundled || !existsSync(bundledNode) ? process.version : versionOf(bundledNode);
  if (Number(/^v(\d+)/.exec(version)?.[1] ?? 0) >= neededMajor) return;
  fail(
    `This project needs Node ${neededMajor} or newer, and no Node that runs here (${process.platform}-${process.arch}) comes with it. ` +
      `Yours is ${process.version}.\nInstall Node ${neededMajor} (https://nodejs.org, or: nvm install ${neededMajor}) and start again.`,
  );
}

function versionOf(node) {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? '';
}

/** On a system without glibc the Node from npm does not run, and would stand in the way of the system's own. */
function setAsideUnusableNode() {
  if (!existsSync(bundledNode) || versionOf(bundledNode) !== '') return;
  rmSync(bundledNode);
  writeFileSync(unusableNode, '');
}

function bundlesNode() {
  return process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');
}

function readOr(path, otherwise) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Ends in an error that the main part turns into status 1; the lock is let go on the way. */
function fail(text) {
  throw new InstallError(text);
}

export class InstallError extends Error {}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    await ensureInstalled();
  } catch (error) {
    say(error instanceof InstallError ? error.message : String(error.stack));
    process.exitCode = 1;
  }
}
