import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ICruiseResult, cruise } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapterFolders, boundaryRules, cruiseOptions, moduleGraph } from '../../module-graph.mjs';

const project = resolve(fileURLToPath(new URL('../../..', import.meta.url)));
let place = '';

beforeAll(async () => {
  place = await realpath(await mkdtemp(join(tmpdir(), 'voucher-planted-')));
});

afterAll(async () => {
  await rm(place, { recursive: true, force: true });
});

type Files = Record<string, string>;

/** A small tree that breaks no rule. */
const sound: Files = {
  'server/src/main.ts': "import './app.ts';",
  'server/src/app.ts': "import './modules/orders/index.ts'; import './platform/log.ts';",
  'server/src/config.ts': "import './platform/log.ts';",
  'server/src/platform/log.ts': "import 'pg'; export const log = 1;",
  'server/src/modules/orders/index.ts':
    "import './order-store.ts'; import '../catalogue/index.ts'; export const face = 1;",
  'server/src/modules/orders/order-store.ts':
    "import 'pg'; import '../../platform/log.ts'; export const rows = 1;",
  'server/src/modules/catalogue/index.ts': "import '../../platform/log.ts'; export const face = 1;",
  'server/test/support/factory.ts':
    "import '../../src/modules/orders/order-store.ts'; export const factory = 1;",
  'sandbox/src/index.ts': "import './wire.ts';",
  'sandbox/src/wire.ts': 'export const wire = 1;',
  'node_modules/pg/package.json': '{ "name": "pg", "main": "index.js" }',
  'node_modules/pg/index.js': 'module.exports = {};',
  'package.json': '{ "name": "planted", "type": "module", "dependencies": { "pg": "1" } }',
};

/** Names of the rules that a tree breaks. */
async function brokenRules(files: Files): Promise<string[]> {
  const root = await mkdtemp(join(place, 'tree-'));
  for (const [path, text] of Object.entries({ ...sound, ...files })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return violations(root, ['server', 'sandbox', ...(await frontEndsOf(root))]).then((found) => [
    ...new Set(found.map(({ rule }) => rule)),
  ]);
}

async function frontEndsOf(root: string): Promise<string[]> {
  return (await readdir(root)).filter((name) => name === 'storefront' || name === 'console');
}

type Violation = { rule: string; from: string; to: string };

async function violations(root: string, folders: string[]): Promise<Violation[]> {
  const { output } = await cruise(folders, {
    ...cruiseOptions,
    baseDir: root,
    validate: true,
    ruleSet: { forbidden: [...boundaryRules] },
  });
  if (typeof output === 'string') throw new Error(output);
  return summaryOf(output);
}

function summaryOf(result: ICruiseResult): Violation[] {
  return result.summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to }));
}

const use = (path: string): string => `import '${path}'; export const used = 1;`;
const orders = 'server/src/modules/orders';

/** One planted violation for every standing rule: what is written where, and the rule that must catch it. */
const planted: [rule: string, what: string, files: Files][] = [
  [
    'no-cycles',
    'two files that import each other',
    {
      'server/src/platform/a.ts': use('./b.ts'),
      'server/src/platform/b.ts': use('./a.ts'),
    },
  ],
  [
    'no-orphans',
    'a file without any use',
    { 'server/src/platform/forgotten.ts': 'export const forgotten = 1;' },
  ],
  ['resolvable', 'an import of a missing file', { 'server/src/app.ts': use('./gone.ts') }],
  ['resolvable', 'an import of a package that is not installed', { 'server/src/app.ts': use('left-pad') }],
  [
    'platform-knows-no-module',
    'a module in the platform',
    { 'server/src/platform/log.ts': use('../modules/orders/index.ts') },
  ],
  [
    'platform-knows-no-module',
    'the configuration in the platform',
    { 'server/src/platform/log.ts': use('../config.ts') },
  ],
  [
    'modules-by-their-face',
    "another module's inside",
    {
      [`${orders}/index.ts`]: use('../catalogue/product-store.ts'),
      'server/src/modules/catalogue/product-store.ts': '',
    },
  ],
  [
    'composition-by-faces',
    "a module's inside in app.ts",
    { 'server/src/app.ts': use('./modules/orders/order-store.ts') },
  ],
  [
    'composition-by-faces',
    "a module's inside in a command",
    { 'server/src/commands/seed.ts': use('../modules/orders/order-store.ts') },
  ],
  [
    'modules-below-composition',
    'the composition root in a module',
    { [`${orders}/place.ts`]: use('../../app.ts') },
  ],
  [
    'modules-below-composition',
    'the configuration in a module',
    { [`${orders}/place.ts`]: use('../../config.ts') },
  ],
  ['sql-in-stores', 'the driver in a use case', { [`${orders}/place.ts`]: use('pg') }],
  [
    'sql-in-stores',
    "only a type of the driver's in a use case",
    { [`${orders}/place.ts`]: "import type { Pool } from 'pg'; export type P = Pool;" },
  ],
  ['sql-in-stores', 'the driver in a command', { 'server/src/commands/seed.ts': use('pg') }],
  ['pure-rules-and-states', 'a store in a rule', { [`${orders}/price-rules.ts`]: use('./order-store.ts') }],
  [
    'pure-rules-and-states',
    'the file system in a state table',
    { [`${orders}/order-states.ts`]: use('node:fs') },
  ],
  [
    'product-knows-no-test',
    'a factory in a use case',
    { [`${orders}/place.ts`]: use('../../../test/support/factory.ts') },
  ],
  [
    'product-knows-no-test',
    'a test file in a use case',
    { [`${orders}/place.ts`]: use('./place.test.ts'), [`${orders}/place.test.ts`]: '' },
  ],
  [
    'sandbox-stands-alone',
    'the server in the sandbox',
    { 'sandbox/src/wire.ts': use('../../server/src/platform/log.ts') },
  ],
  [
    'server-needs-no-sandbox',
    'the sandbox in a module',
    { [`${orders}/place.ts`]: use('../../../../sandbox/src/wire.ts') },
  ],
  [
    'front-ends-by-the-api',
    'the server in the shop',
    { 'storefront/src/page.ts': use('../../server/src/platform/log.ts') },
  ],
  [
    'module-is-in-the-table',
    'a module without a line in the table',
    { 'server/src/modules/loyalty/index.ts': use('../../platform/log.ts') },
  ],
  ...adapterFolders.flatMap((folder): [string, string, Files][] => {
    const adapter = `server/src/modules/${folder}`;
    const name = folder.replace('/', '-');
    return [
      [
        `${name}-see-no-database`,
        `the database in ${folder}`,
        {
          [`${adapter}/one/index.ts`]: use('../../../../platform/db/database.ts'),
          'server/src/platform/db/database.ts': '',
        },
      ],
      [
        `${name}-see-no-database`,
        `the queue in ${folder}`,
        {
          [`${adapter}/one/index.ts`]: use('../../../../platform/jobs/queue.ts'),
          'server/src/platform/jobs/queue.ts': '',
        },
      ],
      [
        `${name}-apart`,
        `another adapter in ${folder}`,
        { [`${adapter}/one/index.ts`]: use('../two/index.ts'), [`${adapter}/two/index.ts`]: '' },
      ],
    ];
  }),
];

describe('the boundaries', () => {
  it('let a sound tree pass', async () => {
    expect(await brokenRules({})).toEqual([]);
  });

  it.each(planted)('%s catches %s', async (rule, _what, files) => {
    expect(await brokenRules(files)).toContain(rule);
  });

  it('let a test import anything', async () => {
    const test =
      "import './order-store.ts'; import '../catalogue/deep.ts'; import 'pg'; import '../../../test/support/factory.ts';";
    expect(
      await brokenRules({
        [`${orders}/place.test.ts`]: test,
        'server/test/races/buy.test.ts':
          "import '../../src/modules/orders/order-store.ts'; import '../../src/app.ts';",
        'server/src/modules/catalogue/deep.ts': use('../../platform/log.ts'),
      }),
    ).toEqual([]);
  });

  it('let a rule import a type from anywhere in its module', async () => {
    const rule = "import type { Row } from './order-row.ts'; export const price = (row: Row): Row => row;";
    expect(
      await brokenRules({
        [`${orders}/price-rules.ts`]: rule,
        [`${orders}/order-row.ts`]: 'export type Row = { id: number };',
      }),
    ).toEqual([]);
  });

  it('have a planted violation for every rule', () => {
    const proven = new Set(planted.map(([rule]) => rule));
    const rules = boundaryRules
      .map(({ name }) => name)
      .filter((name) => !(name.replace('module-', '') in moduleGraph));
    expect(rules.filter((name) => !proven.has(name))).toEqual([]);
  });
});

describe('the module table', () => {
  const names = Object.keys(moduleGraph);

  it('names only modules of its own', () => {
    for (const mayUse of Object.values(moduleGraph)) {
      expect(names).toEqual(expect.arrayContaining(mayUse === '*' ? [] : [...mayUse]));
    }
  });

  it('has no circle of modules', () => {
    const reaches = (from: string, seen: readonly string[]): boolean => {
      const mayUse = moduleGraph[from];
      if (mayUse === undefined || mayUse === '*') return false;
      return mayUse.some((next) => seen.includes(next) || reaches(next, [...seen, next]));
    };
    expect(names.filter((name) => reaches(name, [name]))).toEqual([]);
  });

  // One tree per module that imports every other module's face: exactly those not in its line must be caught.
  it.each(names.filter((name) => moduleGraph[name] !== '*'))(
    'keeps %s from every module not in its line',
    async (name) => {
      const root = await mkdtemp(join(place, 'all-'));
      const others = names.filter((other) => other !== name);
      for (const other of others) {
        await mkdir(join(root, 'server/src/modules', other), { recursive: true });
        await writeFile(join(root, 'server/src/modules', other, 'index.ts'), 'export const face = 1;');
      }
      await mkdir(join(root, 'server/src/modules', name), { recursive: true });
      const imports = others.map((other) => `import '../${other}/index.ts';`).join('\n');
      await writeFile(join(root, 'server/src/modules', name, 'greedy.ts'), imports);
      const caught = (await violations(root, ['server'])).filter(({ rule }) => rule === `module-${name}`);
      const allowed = moduleGraph[name] ?? [];
      const expected = others.filter((other) => !allowed.includes(other));
      expect(new Set(caught.map(({ to }) => to.split('/').at(-2)))).toEqual(new Set(expected));
    },
  );

  it('lets reports read every module', async () => {
    const imports = names.filter((name) => name !== 'reports').map((name) => `import '../${name}/index.ts';`);
    const faces = names.map((name) => [`server/src/modules/${name}/index.ts`, 'export const face = 1;']);
    const root = await mkdtemp(join(place, 'reports-'));
    for (const [path = '', text = ''] of [
      ...faces,
      ['server/src/modules/reports/lists.ts', imports.join('\n')],
    ]) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    const caught = await violations(root, ['server']);
    expect(caught.filter(({ from }) => from.endsWith('reports/lists.ts'))).toEqual([]);
  });
});

describe('this project', () => {
  it('keeps all boundaries', async () => {
    const present = await readdir(project);
    const folders = ['server', 'sandbox', 'storefront', 'console', 'bench'].filter((name) =>
      present.includes(name),
    );
    expect(await violations(project, folders)).toEqual([]);
  });
});
