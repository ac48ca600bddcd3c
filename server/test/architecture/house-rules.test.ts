import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type Finding,
  type SourceFile,
  checkExports,
  checkNames,
  checkProportions,
  checkFolders,
  checkTests,
  percentile,
  readSources,
} from './house-rules.ts';

const project = resolve(fileURLToPath(new URL('../../..', import.meta.url)));

function file(path: string, text = 'export const one = 1;'): SourceFile {
  return { path, text };
}

function lines(count: number): string {
  return Array.from({ length: count }, () => '// line').join('\n');
}

function rules(findings: readonly Finding[]): string[] {
  return findings.map(({ rule }) => rule);
}

describe('the naming rules', () => {
  it.each([
    ['kebab-case', 'server/src/orderStore.ts'],
    ['kebab-case', 'server/src/order_store.ts'],
    ['kebab-case', 'server/src/Orders/order-store.ts'],
    ['forbidden-name', 'server/src/string-utils.ts'],
    ['forbidden-name', 'server/src/common/order.ts'],
    ['forbidden-name', 'server/src/order-manager.ts'],
    ['forbidden-name', 'server/src/shared/order.ts'],
    ['forbidden-name', 'server/src/order-data.ts'],
    ['file-ending', 'server/src/order.spec.ts'],
    ['file-ending', 'server/src/order.tests.ts'],
    ['file-ending', 'server/src/order.service.ts'],
  ])('catch %s in %s', (rule, path) => {
    expect(rules(checkNames([file(path)]))).toContain(rule);
  });

  it.each([
    'server/src/modules/orders/order-store.ts',
    'server/src/modules/orders/create-order.db.test.ts',
    'server/src/modules/orders/price-rules.test.ts',
    'server/module-graph.mjs',
    'server/src/platform/db/database.ts',
  ])('let %s pass', (path) => {
    expect(checkNames([file(path)])).toEqual([]);
  });
});

describe('the size rules', () => {
  it('catch the sixteenth source file of a folder', () => {
    const files = Array.from({ length: 16 }, (_, index) => file(`server/src/orders/file-${index}.ts`));
    expect(rules(checkFolders(files))).toEqual(['folder-files']);
  });

  it('count no test file against the size of a folder', () => {
    const files = Array.from({ length: 40 }, (_, index) => file(`server/src/orders/file-${index}.test.ts`));
    expect(checkFolders(files)).toEqual([]);
  });

  it('catch functions that are long in the middle', () => {
    const short = `function one() {\n${lines(10)}\n}\n`;
    const long = `function one() {\n${lines(11)}\n}\n`;
    expect(checkProportions([file('server/src/a.ts', short + short + long)])).toEqual([]);
    expect(rules(checkProportions([file('server/src/a.ts', short + long + long)]))).toEqual([
      'median-function',
    ]);
  });

  it('catch too many imports in one file of twenty', () => {
    const imports = (count: number): string => "import 'node:fs';\n".repeat(count);
    const many = Array.from({ length: 10 }, (_, index) => file(`server/src/a-${index}.ts`, imports(11)));
    expect(rules(checkProportions(many))).toEqual(['imports-p95']);
    expect(checkProportions(many.map(({ path }) => file(path, imports(10))))).toEqual([]);
  });

  it('count no import that only names types', () => {
    const types = "import type { One } from './one.ts';\n".repeat(40);
    expect(checkProportions([file('server/src/a.ts', types)])).toEqual([]);
  });

  it('take the smallest value that covers the share', () => {
    expect(percentile([4, 1, 3, 2], 0.5)).toBe(2);
    expect(percentile([1, 2, 3, 100], 0.95)).toBe(100);
    expect(percentile([], 0.5)).toBe(0);
  });
});

describe('the export rule', () => {
  it.each([
    'export default 1;',
    'export default function serve() {}',
    'export default class Order {}',
    'const one = 1; export { one as default };',
    "export { default } from './one.ts';",
  ])('catches %s', (text) => {
    expect(rules(checkExports([file('server/src/a.ts', text)]))).toEqual(['default-export']);
  });

  it('lets names and tool configurations pass', () => {
    expect(checkExports([file('server/src/a.ts'), file('vitest.config.ts', 'export default {};')])).toEqual(
      [],
    );
  });
});

describe('the test rules', () => {
  it.each([
    ['skipped-test', "it.skip('pays', () => { expect(1).toBe(1); });"],
    ['skipped-test', "describe.only('paying', () => { it('pays', () => { expect(1).toBe(1); }); });"],
    ['skipped-test', "it.todo('pays'); expect(1).toBe(1);"],
    ['test-without-assertion', "it('pays', () => { pay(); });"],
  ])('catch a %s: %s', (rule, text) => {
    expect(rules(checkTests([file('server/src/pay.test.ts', text)]))).toEqual([rule]);
  });
});

describe('this project', () => {
  const sources = readSources(project).filter(
    ({ path }) => path !== 'server/test/architecture/house-rules.test.ts',
  );

  it('has sources to look at', () => {
    expect(sources.length).toBeGreaterThan(20);
  });

  it.each([
    ['names', checkNames],
    ['folders', checkFolders],
    ['proportions', checkProportions],
    ['exports', checkExports],
    ['tests', checkTests],
  ])('keeps the house rules of %s', (_name, check) => {
    expect(check(sources)).toEqual([]);
  });
});
