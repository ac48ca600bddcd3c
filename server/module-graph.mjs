/**
 * Who may import whom: the one table. The rules of dependency-cruiser, the tests that plant violations and the
 * drawing in ARCHITECTURE.md are made from it.
 *
 * A module is a folder in server/src/modules. Others see only its face, `index.ts`. A module named here may not
 * exist yet; one that exists and is not named here is an error.
 */

/** Module → the modules whose faces it may import. `'*'` reads all. */
export const moduleGraph = {
  events: [],
  identity: ['events'],
  catalogue: ['events'],
  // A stock that runs low is an operator's business.
  vouchers: ['alerts', 'events'],
  discounts: ['catalogue', 'events'],
  alerts: ['events'],
  mail: ['events'],
  orders: ['identity', 'catalogue', 'vouchers', 'discounts', 'events'],
  payments: ['orders', 'alerts', 'events'],
  // catalogue: what a variant asks of its recipient, to check and merge what partners ask.
  fulfillment: ['catalogue', 'orders', 'vouchers', 'mail', 'alerts', 'events'],
  checkout: ['catalogue', 'orders', 'payments', 'vouchers', 'discounts', 'events'],
  recovery: ['orders', 'payments', 'fulfillment', 'vouchers', 'mail', 'alerts', 'events'],
  redemption: ['catalogue', 'vouchers', 'mail', 'events'],
  reports: '*',
};

/** Module → what it is for, in one line. A module without a line fails the generated documents. */
export const modulePurposes = {
  events: 'facts for other systems, recorded by whoever makes them true',
  identity: 'who people are and what they may do: accounts, sign-in, tokens, roles, audit log',
  catalogue: 'what is sold and how it is shown, and what a buyer must enter for it',
  vouchers: 'the vault: stored codes, sealed; reserving and assigning them',
  discounts: 'discount codes and their uses',
  alerts: 'what operators have to look at',
  mail: 'outgoing letters: claimed, sent, accepted or unknown',
  orders: 'what a customer asked for, its life cycle and how it is read',
  payments: 'sessions, callbacks and proofs of payment; one folder for each gateway',
  fulfillment: 'giving a paid order what it was sold, once; one folder for each partner',
  checkout: 'an order with its payment session; giving up and taking back unpaid orders',
  recovery: 'what operators do for an order that needs attention',
  redemption: 'promotional campaigns: codes handed out by QR link',
  reports: 'lists, plots and exports over everything',
};

/** Folders that are plug-ins over a wire: they get a client and their configuration, never a database or a queue. */
export const adapterFolders = ['payments/gateways', 'fulfillment/partners'];

const modules = '^server/src/modules';
/** Tests, and what only they use: files named test-… beside the code. */
const testFile = '([.]test|/test-[^/]+)[.]ts$';
const postgresDriver = '(^|/)node_modules/(@types/)?(pg|pg-pool|pg-cursor|pg-copy-streams)/';

/** `from` and `to` are the patterns of dependency-cruiser; every comment ends what a failing check prints. */
const standingRules = [
  {
    name: 'no-cycles',
    comment: 'An import cycle has no first file to understand. Move what both need into a third.',
    from: {},
    to: { circular: true },
  },
  {
    name: 'no-orphans',
    comment: 'Nothing imports this file and it imports nothing: use it or delete it.',
    from: { orphan: true },
    to: {},
  },
  {
    name: 'resolvable',
    comment: 'The imported file or package is not there, or is in no package.json.',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'platform-knows-no-module',
    comment: 'platform/ has no domain word in it and serves every module.',
    from: { path: '^server/src/platform/', pathNot: testFile },
    to: { path: '^server/src/', pathNot: '^server/src/platform/' },
  },
  {
    name: 'modules-by-their-face',
    comment: "Import the module's index.ts: what is not in it may change without asking.",
    from: { path: `${modules}/([^/]+)/`, pathNot: testFile },
    to: { path: `${modules}/`, pathNot: [`${modules}/$1/`, `${modules}/[^/]+/index[.]ts$`] },
  },
  {
    name: 'composition-by-faces',
    comment: 'app.ts, main.ts, commands/ and the like put modules together by their faces only.',
    from: { path: '^server/src/', pathNot: [`${modules}/`, testFile] },
    to: { path: `${modules}/`, pathNot: `${modules}/[^/]+/index[.]ts$` },
  },
  {
    name: 'modules-below-composition',
    comment:
      'A module gets what it needs as an argument; it never asks app.ts, main.ts, config.ts or a command.',
    from: { path: `${modules}/`, pathNot: testFile },
    to: { path: '^server/src/', pathNot: ['^server/src/platform/', `${modules}/`] },
  },
  {
    name: 'sql-in-stores',
    comment: 'Only platform/, *-store.ts files and the migrations runner talk to PostgreSQL.',
    from: { path: '^server/src/', pathNot: ['^server/src/platform/', '-store[.]ts$', testFile] },
    to: { path: postgresDriver },
  },
  {
    name: 'pure-rules-and-states',
    comment:
      '*-rules.ts and *-states.ts import types, money, time, the state machine, errors and each other only.',
    from: { path: '^server/src/.*-(rules|states)[.]ts$' },
    to: {
      pathNot: [
        '^server/src/platform/(money|time|state-machine|errors)[.]ts$',
        '/errors[.]ts$',
        '-(rules|states)[.]ts$',
      ],
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'product-knows-no-test',
    comment: 'What is delivered must not need the tests.',
    from: { path: '^(server|sandbox)/src/', pathNot: [testFile, '/test-support/'] },
    to: {
      path: [testFile, '^(server|sandbox)/test/', '/test-support/', 'node_modules/(vitest|fast-check)/'],
    },
  },
  {
    name: 'sandbox-stands-alone',
    comment: 'The sandbox imitates the outside world; sharing code with the server would hide its mistakes.',
    from: { path: '^sandbox/' },
    to: { path: '^server/' },
  },
  {
    name: 'server-needs-no-sandbox',
    comment: 'Only the command line may start the sandbox (demo); modules and platform do not know it.',
    from: { path: '^server/src/(modules|platform)/', pathNot: testFile },
    to: { path: '^sandbox/' },
  },
  {
    name: 'front-ends-by-the-api',
    comment: 'Front ends use the HTTP API and its generated types.',
    from: { path: '^(storefront|console)/' },
    to: { path: '^server/' },
  },
];

function adapterRules(folder) {
  const adapters = `${modules}/${folder}`;
  const name = folder.replace('/', '-');
  return [
    {
      name: `${name}-see-no-database`,
      comment: 'An adapter translates a wire; waiting, retrying and storing are the job of the core.',
      from: { path: `${adapters}/[^/]+/`, pathNot: testFile },
      to: { path: ['^server/src/platform/(db|jobs)/', postgresDriver, '-store[.]ts$'] },
    },
    {
      name: `${name}-apart`,
      comment: 'One adapter never needs another; what all share is beside their folders.',
      from: { path: `${adapters}/([^/]+)/`, pathNot: testFile },
      to: { path: `${adapters}/[^/]+/`, pathNot: `${adapters}/$1/` },
    },
  ];
}

function moduleRule([name, mayUse]) {
  if (mayUse === '*') return [];
  const allowed = [name, ...mayUse].join('|');
  return [
    {
      name: `module-${name}`,
      comment: `${name} may use ${mayUse.length > 0 ? mayUse.join(', ') : 'no other module'}.`,
      from: { path: `${modules}/${name}/`, pathNot: testFile },
      to: { path: `${modules}/(?!(${allowed})/)` },
    },
  ];
}

const unknownModule = {
  name: 'module-is-in-the-table',
  comment: 'Every module has a line in server/module-graph.mjs.',
  from: { path: `${modules}/(?!(${Object.keys(moduleGraph).join('|')})/)` },
  to: {},
};

/** All rules, in the form dependency-cruiser takes. */
export const boundaryRules = [
  ...standingRules,
  unknownModule,
  ...adapterFolders.flatMap(adapterRules),
  ...Object.entries(moduleGraph).flatMap(moduleRule),
].map((rule) => ({ severity: 'error', ...rule }));

/** How dependency-cruiser reads the code: type imports count, and symbolic links of the workspaces are followed. */
export const cruiseOptions = {
  doNotFollow: { path: 'node_modules' },
  exclude: { path: '^docs/' },
  tsPreCompilationDeps: true,
  combinedDependencies: true,
  moduleSystems: ['es6', 'cjs'],
  enhancedResolveOptions: {
    exportsFields: ['exports'],
    conditionNames: ['import', 'require', 'node', 'default', 'types'],
    mainFields: ['main', 'types'],
  },
};
