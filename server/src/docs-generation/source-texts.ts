import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { byText } from './markdown.ts';

/** One file of the program: its path from the root, with slashes, and its text. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** The program's own TypeScript below a folder, in the order of their paths; without tests and without this writer. */
export async function readSourceTexts(root: string, folder: string): Promise<SourceText[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && isProgram(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.includes('/docs-generation/'));
  const texts = await Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })),
  );
  return texts.toSorted(byText(({ path }) => path));
}

const isProgram = (name: string): boolean =>
  name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('test-');

/** `orders` for a file of that module, `platform` and the like for others. */
export function placeOf(path: string): string {
  const [first = '', second = ''] = path.replace(/^server\/src\//, '').split('/');
  return first === 'modules' ? second : first.replace(/\.ts$/, '');
}

export interface Mention {
  readonly path: string;
  /** What the pattern's first group matched. */
  readonly word: string;
  /** Where the match begins in the file's text. */
  readonly at: number;
  readonly text: string;
}

/** The same texts with every comment blanked: an example in a comment is not the program. */
export function withoutComments(sources: readonly SourceText[]): SourceText[] {
  return sources.map(({ path, text }) => ({
    path,
    text: text.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, (comment) => ' '.repeat(comment.length)),
  }));
}

/** Every match of a pattern with one group, file by file. */
export function findMentions(sources: readonly SourceText[], pattern: RegExp): Mention[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map((match) => ({ path, text, at: match.index, word: match[1] ?? '' })),
  );
}

/**
 * The doc comment of the top-level declaration that begins at, or encloses, a place in a file; its first paragraph.
 *
 * @throws Error when there is none: what is listed in the documentation has to say what it is.
 */
export function docCommentAt({ path, text, at }: Mention, what: string): string {
  const comments = [...text.slice(0, at).matchAll(/^\/\*\*((?:(?!\*\/)[^])*)\*\/$/gm)];
  const comment = comments.at(-1);
  const between = text.slice(comment ? comment.index + comment[0].length : 0, at);
  // A closed declaration between the two: the comment belongs to that one.
  if (comment === undefined || /^\}?\)?;$|^\}$/m.test(between)) {
    throw new Error(`${what} in ${path} needs a doc comment: the documentation shows it`);
  }
  const lines = (comment[1] ?? '').split('\n').map((line) => line.replace(/^\s*\*?\s?/, '').trimEnd());
  const [paragraph = ''] = lines
    .join('\n')
    .trim()
    .split(/\n\n|\n@/);
  return paragraph.replaceAll('\n', ' ').trim();
}
