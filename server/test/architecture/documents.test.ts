import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { alertSeverities } from '../../src/modules/alerts/index.ts';

const project = resolve(fileURLToPath(new URL('../../..', import.meta.url)));
const read = (path: string): string => readFileSync(join(project, path), 'utf8');

/** Every text that people write. */
const documents = readdirSync(join(project, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md') && !path.startsWith('generated'))
  .map((path) => `docs/${path.replaceAll('\\', '/')}`)
  .concat(
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'sandbox/README.md',
  )
  .toSorted();

interface Manifest {
  readonly version: string;
  readonly workspaces?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
const manifestIn = (folder: string): Manifest => JSON.parse(read(join(folder, 'package.json'))) as Manifest;
const root = manifestIn('.');

/** Names under the headings of CONTRIBUTING's dependencies, each line reading "- `name`: why". */
function explained(): string[] {
  const [, list = ''] = read('CONTRIBUTING.md').split('\n## Dependencies\n');
  return [...list.matchAll(/^- `([^`]+)`: \S.{8,}$/gm)].map((match) => match[1] ?? '');
}

describe('CONTRIBUTING', () => {
  it('says of every dependency why it is there, and of no other', () => {
    const manifests = [root, ...(root.workspaces ?? []).map(manifestIn)];
    const used = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
      Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
    );
    expect([...new Set(explained())].toSorted()).toEqual([...new Set(used)].toSorted());
  });
});

describe('README', () => {
  it('is one page', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(90);
  });

  it('tells how to start, try and test', () => {
    for (const command of ['npm start', 'npm run demo', 'npm test'])
      expect(read('README.md')).toContain(command);
  });
});

describe('every document', () => {
  it.each(documents)('%s names commands that exist', (path) => {
    const named = [...read(path).matchAll(/\bnpm (?:run ([a-z][a-z:-]*)|(start|test))\b/g)];
    const scripts = Object.keys(root.scripts ?? {});
    expect(scripts).toEqual(expect.arrayContaining(named.map((match) => match[1] ?? match[2])));
  });

  it.each(documents)('%s links to pages that are there', (path) => {
    const links = [...read(path).matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(
      (match) => match[1] ?? '',
    );
    expect(links.filter((link) => !existsSync(join(project, dirname(path), link)))).toEqual([]);
  });

  it.each(documents)('%s names files and folders that are there', (path) => {
    const named = [...read(path).matchAll(/`((?:server|sandbox|docs|scripts)\/[\w./-]+)`/g)].map(
      (match) => match[1] ?? '',
    );
    expect(named.filter((file) => !existsSync(join(project, file)))).toEqual([]);
  });

  it.each(documents)('%s names database rules that are there', (path) => {
    const schema = read('docs/generated/schema.md');
    const named = [...read(path).matchAll(/`([a-z_]+__[a-z_]+)`/g)].map((match) => match[0]);
    expect(named.filter((rule) => !schema.includes(rule))).toEqual([]);
  });
});

describe('ARCHITECTURE', () => {
  it('leads along functions that are where it says', () => {
    const rows = [...read('ARCHITECTURE.md').matchAll(/`(server\/[\w./-]+\.ts)` \| `(\w+)`/g)];
    expect(rows.length).toBeGreaterThan(8);
    const missing = rows.filter(([, path = '', name = '']) => !read(path).includes(`function ${name}`));
    expect(missing.map((match) => match[0])).toEqual([]);
  });
});

describe('docs/operations.md', () => {
  it('says what to do about every alert there is, and about no other', () => {
    const [, alerts = ''] = read('docs/operations.md').split('\n## Alerts\n');
    const sections = [...(alerts.split('\n## ')[0] ?? '').matchAll(/^### (\S+)$/gm)].map(
      (match) => match[1] ?? '',
    );
    expect(sections.toSorted()).toEqual(Object.keys(alertSeverities).toSorted());
  });
});

describe('the change log', () => {
  it('begins with the version that this is', () => {
    expect(/^## (\S+)$/m.exec(read('CHANGELOG.md'))?.[1]).toBe(root.version);
  });
});

describe('decisions', () => {
  const decisions = documents.filter((path) => path.startsWith('docs/decisions/'));

  it('are numbered without a gap', () => {
    const numbers = decisions.map((path) => Number(path.slice('docs/decisions/'.length).split('-')[0]));
    expect(numbers).toEqual(decisions.map((_, index) => index + 1));
  });

  it.each(decisions)('%s is one page with a decision to quote and what enforces it', (path) => {
    const text = read(path);
    const headings = [...text.matchAll(/^## (.+)$/gm)].map((match) => match[1]);
    expect(headings).toEqual(['Context', 'Decision', 'Consequences', 'Alternatives', 'Enforced by']);
    expect(text).toMatch(/\n> \S/);
    expect(text.split('\n').length).toBeLessThanOrEqual(60);
  });
});
