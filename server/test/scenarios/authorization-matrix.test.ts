import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { initialRoles } from '../../src/modules/identity/index.ts';
import type { Endpoint } from '../../src/platform/http/endpoint.ts';
import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer, aVariant, call, order, someCodes } from '../support/shop.ts';
import type { Customer } from '../support/shop.ts';
import { testClock } from '../support/test-identity.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

/**
 * Interface part 5, rules 6 and 7, over the route table itself: every operation × every kind of caller. A new
 * operation is in it by being mounted.
 */

let service: TestService;
const clock = testClock();
const roleNames = initialRoles.map((role) => role.name);
/** Nobody has none. */
const tokens = new Map<string, string>();
let root: Operator;

beforeAll(async () => {
  service = await startTestService({ clock });
  const [expiredCustomer, expiredAdmin] = [await aCustomer(service), await anOperator(service)];
  clock.advance(3_600);
  tokens.set('expired customer', expiredCustomer.token).set('expired admin', expiredAdmin.token);
  for (const role of roleNames) tokens.set(role, (await anOperator(service, [role])).token);
  tokens.set('admin without a role', (await anOperator(service, [])).token);
  tokens.set('customer', (await aCustomer(service)).token);
  root = await anOperator(service);
  const suspended = await anOperator(service);
  tokens.set('suspended admin', suspended.token);
  await operate(service, root, { path: `/admins/${suspended.adminId}/suspend`, method: 'POST' });
  const key = await operate<{ key: string }>(service, root, {
    path: '/api-keys',
    method: 'POST',
    body: { name: 'matrix', scopes: ['orders:read', 'alerts:read'] },
  });
  tokens.set('API key', key.data.key).set('nonsense', 'nonsense');
}, 60_000);
afterAll(() => service.close());

const allowedBy = new Map<string, ReadonlySet<string>>([
  ...initialRoles.map((role) => [role.name, new Set<string>([...role.permissions, 'account:self'])] as const),
  ['admin without a role', new Set(['account:self'])],
  ['API key', new Set(['orders:read', 'alerts:read'])],
]);

function isAllowed(caller: string, permission: string): boolean {
  const permissions = allowedBy.get(caller);
  return permissions !== undefined && (permissions.has('*') || permissions.has(permission));
}

/** Ids that nothing has, so that what is allowed finds nothing to change. */
function addressOf(prefix: string, { path, params }: Endpoint): string {
  const schemas: Record<string, { type?: string; format?: string }> = params?.properties ?? {};
  const filled = path.replaceAll(/:(\w+)/g, (_match, name: string) => {
    const { type, format } = schemas[name] ?? {};
    if (type === 'integer') return '999999999';
    return format === 'uuid' ? randomUUID() : 'NOTHINGHERE';
  });
  return `/api/v1${prefix}${filled}`;
}

async function knock(prefix: string, endpoint: Endpoint, token?: string): Promise<number> {
  const answer = await service.app.client.inject({
    method: endpoint.method,
    url: addressOf(prefix, endpoint),
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), accept: 'application/json' },
    ...(endpoint.body && endpoint.access !== 'callback' ? { payload: {} } : {}),
  });
  return answer.statusCode;
}

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;
/** They end the session that calls them. */
const SELF_ENDING = new Set(['POST /auth/sign-out-all', 'POST /auth/logout']);

type Verdict = 401 | 403 | 'through';
const verdictOf = (status: number): Verdict => (status === 401 || status === 403 ? status : 'through');

/** Every endpoint where the verdict is not the expected one. */
async function surprises(
  prefix: string,
  endpoints: readonly Endpoint[],
  by: { token: string | undefined; expected(endpoint: Endpoint): Verdict },
): Promise<string[]> {
  const found: string[] = [];
  for (const endpoint of endpoints) {
    const expected = by.expected(endpoint);
    if (expected === 'through' && SELF_ENDING.has(nameOf(endpoint))) continue;
    const status = await knock(prefix, endpoint, by.token);
    if (verdictOf(status) !== expected || status >= 500) {
      found.push(`${nameOf(endpoint)}: ${status}, not ${expected}`);
    }
  }
  return found;
}

describe('the client API', () => {
  const expectedOf = (endpoint: Endpoint, isCustomer: boolean, hasToken: boolean): Verdict => {
    const { access } = endpoint;
    // Signing out needs either token; without any it is the only open operation that answers 401.
    if (nameOf(endpoint) === 'POST /auth/sign-out') return isCustomer ? 'through' : 401;
    if (access === 'client') return isCustomer ? 'through' : 401;
    if (access === 'client_optional') return hasToken && !isCustomer ? 401 : 'through';
    return 'through';
  };

  it.each([
    'nobody',
    'nonsense',
    'expired customer',
    'super_admin',
    'suspended admin',
    'API key',
    'customer',
  ])(
    'lets %s through exactly where it should',
    async (caller) => {
      const token = tokens.get(caller);
      const endpoints = service.app.endpoints.client.filter(
        (endpoint) => caller !== 'customer' || nameOf(endpoint) !== 'POST /auth/sign-out',
      );
      expect(endpoints.length).toBeGreaterThan(50);
      const expected = (endpoint: Endpoint) =>
        expectedOf(endpoint, caller === 'customer', token !== undefined);
      expect(await surprises('', endpoints, { token, expected })).toEqual([]);
    },
    60_000,
  );
});

describe('the admin API', () => {
  const BEFORE_SIGN_IN = (endpoint: Endpoint): boolean => endpoint.access === 'anonymous';

  it('has no operation that is neither before sign-in nor behind a permission', () => {
    const open = service.app.endpoints.admin.filter(({ access }) => typeof access !== 'object');
    expect(open.map(nameOf).toSorted()).toEqual([
      'POST /auth/forgot-password',
      'POST /auth/login',
      'POST /auth/mfa/verify',
      'POST /auth/refresh-token',
      'POST /auth/reset-password',
    ]);
  });

  it.each(['nobody', 'nonsense', 'customer', 'expired customer', 'expired admin', 'suspended admin'])(
    'answers 401 to %s everywhere but at sign-in',
    async (caller) => {
      const token = tokens.get(caller);
      const expected = (endpoint: Endpoint): Verdict => (BEFORE_SIGN_IN(endpoint) ? 'through' : 401);
      expect(await surprises('/admin', service.app.endpoints.admin, { token, expected })).toEqual([]);
    },
    60_000,
  );

  it.each([...roleNames, 'admin without a role', 'API key'])(
    'gives %s what its permissions say, and 403 for the rest',
    async (caller) => {
      const expected = ({ access }: Endpoint): Verdict =>
        typeof access !== 'object' || isAllowed(caller, access.permission) ? 'through' : 403;
      const token = tokens.get(caller);
      expect(await surprises('/admin', service.app.endpoints.admin, { token, expected })).toEqual([]);
    },
    60_000,
  );

  it('is reached under /admin too, behind the same guards', async () => {
    const { client } = service.app;
    const authorization = (token = '') => ({ headers: { authorization: `Bearer ${token}` } });
    expect((await client.inject({ url: '/admin/me' })).statusCode).toBe(401);
    expect(
      (await client.inject({ url: '/admin/me', ...authorization(tokens.get('auditor')) })).statusCode,
    ).toBe(200);
    expect(
      (await client.inject({ url: '/admin/users', ...authorization(tokens.get('catalogue')) })).statusCode,
    ).toBe(403);
  });
});

describe('what belongs to another customer', () => {
  let owner: Customer;
  let other: Customer;
  const own = new Map<string, string>();

  beforeAll(async () => {
    [owner, other] = [await aCustomer(service), await aCustomer(service)];
    const { token } = owner;
    const { variantId } = await aVariant(service, { codes: someCodes('matrix', 3) });
    const placed = await order(service, owner, { variantId, method: 'gw_multi_wallet' });
    const transactionId = placed.data.payment?.transactionId ?? '';
    const recipient = await call<{ id: number }>(service, {
      path: '/user/recipients',
      token,
      body: { label: 'Game', type: 'uid', value: '9' },
    });
    const sessions = await call<{ items: { id: string }[] }>(service, { path: '/auth/sessions', token });
    own
      .set('/orders/:id', String(placed.data.id))
      .set('/orders/number/:orderNumber', placed.data.order_number)
      .set('/payments/initiate/:orderId', String(placed.data.id))
      .set('/payments/status/:transactionId', transactionId)
      .set('/payments/:transactionId', transactionId)
      .set('/payments/multi_wallet/confirm/:invoiceNumber', transactionId)
      .set('/user/recipients/:id', String(recipient.data.id))
      .set('/auth/sessions/:sessionId', sessions.data.items[0]?.id ?? '');
  });

  /** The longest known pattern that the path begins with: what hangs below a resource belongs to whom it does. */
  const resourceOf = (path: string): string | undefined =>
    [...own.keys()]
      .filter((known) => path === known || path.startsWith(`${known}/`))
      .toSorted((a, b) => b.length - a.length)[0];

  const owned = (): Endpoint[] =>
    service.app.endpoints.client.filter(({ access, path }) => access === 'client' && path.includes(':'));

  async function ask(endpoint: Endpoint, token: string): Promise<number> {
    const resource = resourceOf(endpoint.path) ?? '';
    const url = endpoint.path.replace(/:\w+/, own.get(resource) ?? '');
    const body = endpoint.body
      ? {
          method: 'gw_multi_wallet',
          label: 'x',
          type: 'uid',
          value: '1',
          description: 'broken',
          reason: 'broken',
        }
      : undefined;
    const { method } = endpoint;
    const answer = await call(service, { path: url, method, token, ...(body ? { body } : {}) });
    return answer.status;
  }

  it('is told apart for every operation that names a resource', () => {
    const unknown = owned().filter(({ path }) => resourceOf(path) === undefined);
    expect(unknown.map(nameOf)).toEqual([]);
  });

  it('does not exist for anybody else: 404, and nothing happens to it', async () => {
    const found: string[] = [];
    for (const endpoint of owned()) {
      const status = await ask(endpoint, other.token);
      if (status !== 404) found.push(`${nameOf(endpoint)}: ${status}`);
    }
    expect(found).toEqual([]);
    const named = { orderId: Number(own.get('/orders/:id')), method: 'gw_multi_wallet' };
    const initiated = await call(service, { path: '/payments/initiate', token: other.token, body: named });
    expect(initiated.status).toBe(404);
    const untouched = await call<{ status: string }>(service, {
      path: `/orders/${own.get('/orders/:id')}`,
      token: owner.token,
    });
    expect(untouched.data.status).toBe('PENDING');
  });

  it('is there for its owner', async () => {
    for (const endpoint of owned().filter(({ method }) => method === 'GET')) {
      expect([nameOf(endpoint), await ask(endpoint, owner.token)]).toEqual([nameOf(endpoint), 200]);
    }
  });
});
