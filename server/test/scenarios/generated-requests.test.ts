import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Endpoint } from '../../src/platform/http/endpoint.ts';
import { errorsOf } from '../../src/platform/http/mount.ts';
import { errorCatalogue } from '../../src/platform/errors.ts';
import { valueFor } from '../support/request-arbitrary.ts';
import { aCustomer, anAdminToken, aVariant, someCodes } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let tokens: { client: string; admin: string };
let runs = 0;

/** Requests for each operation; GENERATED_REQUESTS=2000 for a long night. */
const REQUESTS_EACH = Number(process.env['GENERATED_REQUESTS'] ?? 25);

beforeAll(async () => {
  service = await startTestService();
  await aVariant(service, { codes: someCodes('GEN', 5) });
  tokens = { client: (await aCustomer(service)).token, admin: await anAdminToken(service) };
});
afterAll(() => service.close());

/** Ends sessions or accounts: later requests would only meet 401. */
const ENDS_THE_CALLER = /sign-out|logout|change-password|account|suspend|sessions|msisdn|reset-password/;

describe('generated requests', () => {
  it('never meet an answer that is no envelope, is not declared, or is our fault', async () => {
    const operations = [
      ...service.app.endpoints.client.map((endpoint) => ({
        endpoint,
        prefix: '/api/v1',
        token: tokens.client,
      })),
      ...service.app.endpoints.admin.map((endpoint) => ({
        endpoint,
        prefix: '/api/v1/admin',
        token: tokens.admin,
      })),
    ].filter(({ endpoint }) => !ENDS_THE_CALLER.test(endpoint.path));
    for (const operation of operations) {
      const property = fc.asyncProperty(requestFor(operation.endpoint), async (request) => {
        await expectDeclared(operation, request);
      });
      await fc.assert(property, { numRuns: REQUESTS_EACH, seed: 20_261_121, endOnFailure: true });
    }
    expect(runs).toBeGreaterThanOrEqual(operations.length * REQUESTS_EACH);
  }, 300_000);
});

interface GeneratedRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

function requestFor(endpoint: Endpoint): fc.Arbitrary<GeneratedRequest> {
  const part = (schema: unknown): fc.Arbitrary<unknown> =>
    schema ? valueFor(schema) : fc.constant(undefined);
  return fc.record({ params: part(endpoint.params), query: part(endpoint.query), body: part(endpoint.body) });
}

async function expectDeclared(
  operation: { endpoint: Endpoint; prefix: string; token: string },
  request: GeneratedRequest,
): Promise<void> {
  const { endpoint, prefix, token } = operation;
  runs += 1;
  const params = (request.params ?? {}) as Record<string, unknown>;
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_match, name: string) => encode(params[name] ?? '1'));
  const response = await service.app.client.inject({
    method: endpoint.method,
    url: `${prefix}${path}`,
    query: textsOf(request.query),
    headers: { authorization: `Bearer ${token}` },
    ...(endpoint.body === undefined
      ? {}
      : {
          payload: (request.body ?? null) as object,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        }),
  });
  const where = `${endpoint.method} ${endpoint.path} ${JSON.stringify(request).slice(0, 400)}`;
  const declared = new Set([
    endpoint.status ?? 200,
    ...errorsOf(endpoint).map((code) => errorCatalogue[code].status as number),
  ]);
  // An address the parameters turned into another one is nobody's operation.
  declared.add(404).add(400);
  const told = `${where} answered ${response.statusCode}: ${response.body.slice(0, 500)}`;
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  const body: unknown = isJson ? JSON.parse(response.body) : { success: true, message: 'an export' };
  expect(response.statusCode, told).not.toBe(500);
  expect([...declared], told).toContain(response.statusCode);
  expect(body, told).toMatchObject({ success: expect.any(Boolean), message: expect.any(String) });
}

function encode(value: unknown): string {
  const text = typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value ?? null);
  return encodeURIComponent(text === '' || /^\.+$/.test(text) ? '1' : text);
}

function textsOf(query: unknown): Record<string, string> {
  if (typeof query !== 'object' || query === null || Array.isArray(query)) return {};
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed(),
    ]),
  );
}
