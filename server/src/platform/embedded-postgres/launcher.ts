import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Binaries, copyBinaries, findBinaries, makeLibraryLinks } from './binaries.ts';
import { type Command, runToEnd } from './child-process.ts';
import { explainFailure, wordsOf } from './failure.ts';

/** `nobody`: PostgreSQL refuses a user it cannot look up, and this one is in every /etc/passwd. */
const nobody = 65534;

/** Who PostgreSQL runs as: ourselves, ourselves under another number in a user namespace, or really someone else. */
type Identity = 'self' | 'namespace' | 'nobody';

/** A proven way to run the PostgreSQL programs on this machine. */
export type Launcher = {
  /** uid that must own the cluster folder */
  ownerUid: number;
  /** the command for one of the programs, with `folder` as its working directory and its `-D` */
  command(program: 'initdb' | 'postgres', folder: string, args: readonly string[]): Command;
};

/**
 * Finds a way that works here, by trying each one with `postgres -V`. PostgreSQL refuses to run as root. As root we
 * first try a user namespace in which our own uid is called 65534: it needs no copy and no second owner, and works in
 * a 0700 folder. Where namespaces are forbidden (Docker's default) we become uid 65534, from a copy of the binaries
 * when the installed ones are out of its reach.
 * @throws Error naming every way tried
 */
export async function findLauncher(dataDir: string): Promise<Launcher> {
  const binaries = await findBinaries();
  const isRoot = process.getuid?.() === 0;
  const identities: Identity[] = isRoot
    ? process.platform === 'linux'
      ? ['namespace', 'nobody']
      : ['nobody']
    : ['self'];
  const copyPlace = isRoot ? tmpdir() : dataDir;
  const attempts: string[] = [];
  for (const identity of identities) {
    for (const place of ['installed', 'copied'] as const) {
      try {
        const nativeDir =
          place === 'installed' ? await useInstalled(binaries) : await copyBinaries(binaries, copyPlace);
        const launcher = buildLauncher(identity, nativeDir);
        await probe(launcher);
        return launcher;
      } catch (error) {
        attempts.push(`${place} binaries as ${identity}: ${wordsOf(error)}`);
      }
    }
  }
  throw explainFailure({
    doing: 'Running the PostgreSQL that comes with this project',
    text: attempts.join('\n'),
    dataDir,
  });
}

async function useInstalled(binaries: Binaries): Promise<string> {
  if (await makeLibraryLinks(binaries.nativeDir)) return binaries.nativeDir;
  throw new Error(`library links are missing in ${binaries.nativeDir} and cannot be made there`);
}

async function probe(launcher: Launcher): Promise<void> {
  const finished = await runToEnd({ ...launcher.command('postgres', '/', ['-V']) });
  if (finished.code !== 0 || !finished.output.includes('PostgreSQL')) throw new Error(finished.output.trim());
}

function buildLauncher(identity: Identity, nativeDir: string): Launcher {
  const path = (program: string): string => join(nativeDir, 'bin', program);
  return {
    ownerUid: identity === 'nobody' ? nobody : (process.getuid?.() ?? 0),
    command: (program, folder, args) => {
      if (identity === 'namespace') {
        // unshare replaces itself by the program, so the process id stays the one we started.
        const before = ['--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--', path(program)];
        return { file: 'unshare', args: [...before, ...args], cwd: folder };
      }
      const whom = identity === 'nobody' ? { uid: nobody, gid: nobody } : {};
      return { file: path(program), args, cwd: folder, ...whom };
    },
  };
}

/**
 * How to name a cluster folder that is the working directory. The folders above it may be closed to the database's
 * user (a project under /root); the working directory was entered before we became that user, and on Linux this
 * name reaches it without walking the path.
 */
export function workingFolderName(folder: string): string {
  return process.platform === 'linux' ? '/proc/self/cwd' : folder;
}
