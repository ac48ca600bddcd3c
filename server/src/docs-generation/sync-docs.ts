import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { GENERATED_FOLDER } from './generate-docs.ts';
import { byText } from './markdown.ts';
import type { GeneratedFile } from './markdown.ts';

/** A file that is not as it should be. */
export interface Difference {
  readonly path: string;
  readonly problem: 'missing' | 'stale' | 'left over';
}

/** How the files on disk differ from the generated ones. `left over`: in the folder of generated files, not made any more. */
export async function compareDocs(root: string, files: readonly GeneratedFile[]): Promise<Difference[]> {
  const compared = await Promise.all(
    files.map(async ({ path, text }): Promise<Difference[]> => {
      const found = await readOrUndefined(join(root, path));
      if (found === text) return [];
      return [{ path, problem: found === undefined ? 'missing' : 'stale' }];
    }),
  );
  const made = new Set(files.map(({ path }) => path));
  const leftOver = (await listGenerated(root)).filter((path) => !made.has(path));
  return [...compared.flat(), ...leftOver.map((path) => ({ path, problem: 'left over' as const }))].toSorted(
    byText(({ path }) => path),
  );
}

/** Makes the files on disk as generated. @returns what was different. */
export async function writeDocs(root: string, files: readonly GeneratedFile[]): Promise<Difference[]> {
  const differences = await compareDocs(root, files);
  for (const { path, problem } of differences) {
    if (problem === 'left over') await rm(join(root, path));
    else await writeWhole(join(root, path), files.find((file) => file.path === path)?.text ?? '');
  }
  return differences;
}

async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function readOrUndefined(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function listGenerated(root: string): Promise<string[]> {
  try {
    const entries = await readdir(join(root, GENERATED_FOLDER), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
