import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const project = resolve(fileURLToPath(new URL('../../..', import.meta.url)));
const body = (count: number): string => '  console.log(1);\n'.repeat(count);

/** The rules we lean on: each with a file that breaks it. */
const planted: [rule: string, path: string, text: string][] = [
  [
    'no-floating-promises',
    'floating.ts',
    'async function pay(): Promise<void> {}\nexport function run(): void {\n  pay();\n}\n',
  ],
  [
    'no-misused-promises',
    'misused.ts',
    'async function paid(): Promise<boolean> {\n  return true;\n}\nexport const is = (): number => {\n  if (paid()) return 1;\n  return 2;\n};\n',
  ],
  ['no-explicit-any', 'any.ts', 'export const one: any = 1;\n'],
  ['ban-ts-comment', 'comment.ts', '// @ts-ignore\nexport const one: string = 1;\n'],
  ['consistent-type-imports', 'types.ts', "import { Row } from './row.ts';\nexport type Rows = Row[];\n"],
  [
    'switch-exhaustiveness-check',
    'switch.ts',
    "export function say(x: 'a' | 'b'): void {\n  switch (x) {\n    case 'a':\n      console.log(1);\n  }\n}\n",
  ],
  ['no-default-export', 'default.ts', 'export default 1;\n'],
  ['no-cycle', 'left.ts', "import { right } from './right.ts';\nexport const left = (): unknown => right;\n"],
  [
    'max-params',
    'params.ts',
    'export function many(a: number, b: number, c: number, d: number): number {\n  return a + b + c + d;\n}\n',
  ],
  ['max-lines', 'long.ts', `${'// line\n'.repeat(301)}export const one = 1;\n`],
  [
    'max-lines',
    'longer.test.ts',
    `import { it } from 'vitest';\n${'// line\n'.repeat(400)}it('is long', () => undefined);\n`,
  ],
  ['max-lines-per-function', 'function.ts', `export function long(): void {\n${body(70)}}\n`],
  ['filename-case', 'orderStore.ts', 'export const one = 1;\n'],
  ['eqeqeq', 'equal.ts', 'export const same = (a: number, b: number): boolean => a == b;\n'],
  ['no-unused-vars', 'unused.ts', 'const one = 1;\nexport const two = 2;\n'],
];

let place = '';
let output = '';

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'voucher-lint-'));
  for (const name of ['.oxlintrc.json', 'tsconfig.json'])
    copyFileSync(join(project, name), join(place, name));
  symlinkSync(join(project, 'node_modules'), join(place, 'node_modules'));
  const others: [string, string][] = [
    ['row.ts', 'export type Row = { id: number };\n'],
    ['right.ts', "import { left } from './left.ts';\nexport const right = (): unknown => left;\n"],
    ['sound.ts', 'export const sound = (value: number): number => value + 1;\n'],
    [
      'long.test.ts',
      `import { expect, it } from 'vitest';\nit('counts', () => {\n${body(350)}  expect(1).toBe(1);\n});\n`,
    ],
  ];
  for (const [path, text] of [...planted.map(([, ...file]) => file), ...others]) {
    mkdirSync(dirname(join(place, 'server/src', path)), { recursive: true });
    writeFileSync(join(place, 'server/src', path), text);
  }
  const oxlint = join(project, 'node_modules/.bin/oxlint');
  const result = spawnSync(oxlint, ['--type-aware', '--format=unix', 'server'], {
    cwd: place,
    encoding: 'utf8',
  });
  output = result.stdout + result.stderr;
}, 60_000);

afterAll(() => {
  rmSync(place, { recursive: true, force: true });
});

function rulesFor(path: string): string[] {
  const found = output.split('\n').filter((line) => line.startsWith(`server/src/${path}:`));
  return found.map((line) => /\(([\w-]+)\)\]$/.exec(line)?.[1] ?? line);
}

describe('the lint rules', () => {
  it.each(planted)('catch %s in %s', (rule, path) => {
    expect(rulesFor(path)).toContain(rule);
  });

  it('let a sound file and a long test pass', () => {
    expect([...rulesFor('sound.ts'), ...rulesFor('long.test.ts')]).toEqual([]);
  });
});
