import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';

/** One broken rule: which, where (relative path), and what is wrong there. */
export type Finding = { rule: string; path: string; detail: string };

/** A file of the project: its path relative to the root, with slashes, and its text. */
export type SourceFile = { path: string; text: string };

const sourceFolders = ['server', 'sandbox', 'storefront', 'console', 'bench', 'scripts'];
const ignoredFolders = new Set(['node_modules', 'generated', 'coverage', 'dist']);

/** Every TypeScript and JavaScript file of ours below `root`. */
export function readSources(root: string): SourceFile[] {
  const present = readdirSync(root).filter((name) => sourceFolders.includes(name));
  return present
    .flatMap((name) => listFiles(root, name))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

function listFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory())
      return ignoredFolders.has(entry.name) || entry.name.startsWith('.') ? [] : listFiles(root, path);
    return /\.(m?ts|m?js|tsx)$/.test(entry.name) ? [path] : [];
  });
}

const isTest = (path: string): boolean =>
  /\.test\.ts$|\/test\/|\/test-support\/|\/test-[^/]+\.ts$/.test(path);

const forbiddenWords = [
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'misc',
  'shared',
  'base',
  'manager',
  'data',
  'info',
];
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * Names (part 5): files and folders in kebab-case, tests called `<what>.test.ts` or `<what>.<ring>.test.ts`, and no
 * word that says nothing.
 */
export function checkNames(files: readonly SourceFile[]): Finding[] {
  return files.flatMap(({ path }) => {
    const parts = path.split('/');
    const [stem = '', ...endings] = (parts.pop() ?? '').split('.');
    const found: Finding[] = [];
    for (const name of [...parts, stem]) {
      if (!kebabCase.test(name)) found.push({ rule: 'kebab-case', path, detail: name });
      const word = name.split('-').find((part) => forbiddenWords.includes(part));
      if (word !== undefined) found.push({ rule: 'forbidden-name', path, detail: word });
    }
    const ending = endings.join('.');
    if (!/^((db\.|property\.)?test\.ts|d\.m?ts|m?[jt]s|tsx)$/.test(ending))
      found.push({ rule: 'file-ending', path, detail: ending });
    return found;
  });
}

const limits = { medianFunctionLines: 12, folderFiles: 15, importsP95: 10 };

/** Size of folders (part 8); sizes of files and functions are rules of the linter. */
export function checkFolders(files: readonly SourceFile[]): Finding[] {
  const counts = new Map<string, number>();
  for (const { path } of files.filter((file) => !isTest(file.path))) {
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > limits.folderFiles)
    .map(([path, count]) => ({
      rule: 'folder-files',
      path,
      detail: `${count} source files, at most ${limits.folderFiles}`,
    }));
}

/** Sizes (part 8) of the whole: the median function and the 95th percentile of imports in a file. */
export function checkProportions(files: readonly SourceFile[]): Finding[] {
  const product = files.filter((file) => !isTest(file.path));
  const functionLines = percentile(product.flatMap(measureFunctions), 0.5);
  const imports = percentile(product.map(countImports), 0.95);
  const found: Finding[] = [];
  if (functionLines > limits.medianFunctionLines) {
    found.push({
      rule: 'median-function',
      path: '.',
      detail: `${functionLines} lines, at most ${limits.medianFunctionLines}`,
    });
  }
  if (imports > limits.importsP95) {
    found.push({
      rule: 'imports-p95',
      path: '.',
      detail: `${imports} imports, at most ${limits.importsP95}`,
    });
  }
  return found;
}

/** The smallest value that is not below `share` of all values; 0 of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** Lines of every function with a body of statements, nested ones too; one-expression arrows are no unit to read. */
function measureFunctions(file: SourceFile): number[] {
  const source = parse(file);
  const found: number[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined && ts.isBlock(node.body)) {
      const [start = 0, end = 0] = [node.getStart(source), node.getEnd()].map(
        (at) => source.getLineAndCharacterOfPosition(at).line,
      );
      found.push(end - start + 1);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** What a file runs, not the types it names (decision 0007). */
function countImports(file: SourceFile): number {
  return parse(file).statements.filter(
    (statement) =>
      ts.isImportDeclaration(statement) &&
      statement.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword,
  ).length;
}

function parse(file: SourceFile): ts.SourceFile {
  return ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
}

const configFiles = new Set(['vitest.config.ts', '.dependency-cruiser.mjs', 'global-setup.ts']);

/** Exports (part 8): none is `default`, except where a tool asks for it. */
export function checkExports(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => !configFiles.has(basename(file.path)))
    .filter((file) => parse(file).statements.some(isDefaultExport))
    .map(({ path }) => ({ rule: 'default-export', path, detail: 'export by name' }));
}

function isDefaultExport(statement: ts.Statement): boolean {
  if (ts.isExportAssignment(statement)) return true;
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) === true) return true;
  return (
    ts.isExportDeclaration(statement) &&
    statement.exportClause !== undefined &&
    ts.isNamedExports(statement.exportClause) &&
    statement.exportClause.elements.some(({ name }) => name.text === 'default')
  );
}

/** Tests (part 7): every test file tests, none is skipped or run alone, every test can fail. */
export function checkTests(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => path.endsWith('.test.ts'))
    .flatMap(({ path, text }) => {
      const found: Finding[] = [];
      const skipped = /\b(it|test|describe)\.(skip|only|todo|skipIf|fails)\b/.exec(text);
      if (skipped !== null) found.push({ rule: 'skipped-test', path, detail: skipped[0] });
      if (!/\bexpect\b|\bassert\w*\(/.test(text))
        found.push({ rule: 'test-without-assertion', path, detail: 'no expect' });
      return found;
    });
}
