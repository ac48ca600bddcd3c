import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Endpoint } from '../../src/platform/http/endpoint.ts';
import { call } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

/** Decisions part 1: unknown body fields are dropped, never stored. Threat API3, property-level authorization. */

let service: TestService;
let columns: string[];

beforeAll(async () => {
  service = await startTestService();
  const { rows } = await service.db.query<{ name: string }>(
    "SELECT DISTINCT column_name AS name FROM information_schema.columns WHERE table_schema = 'public'",
  );
  columns = rows.map((row) => row.name);
});
afterAll(() => service.close());

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly patternProperties?: unknown;
}

const shapesOf = (schema: Schema): readonly Schema[] => schema.anyOf?.flatMap(shapesOf) ?? [schema];
const isObject = (schema: Schema): boolean => schema.properties !== undefined;
/** A map of free keys, as `fulfillment_input` is: what is in it is a value, not a column. */
const isMap = (schema: Schema): boolean => schema.patternProperties !== undefined;

/** A body with every column of the database at every place where the schema has an object. */
function stuffed(schema: Schema): unknown {
  const shape = shapesOf(schema).find((one) => isObject(one) || one.items !== undefined) ?? schema;
  if (isMap(shape)) return {};
  if (shape.items) return [stuffed(shape.items)];
  if (!shape.properties) return 'stuffed';
  const extra = Object.fromEntries(
    [...columns, 'isAdmin', '__proto', 'constructor'].map((name) => [name, 'stuffed']),
  );
  const declared = Object.entries(shape.properties).map(([name, inner]) => [name, stuffed(inner)]);
  return { ...extra, ...Object.fromEntries(declared) };
}

/** Keys that are left though no schema at their place declares them. */
function undeclared(body: unknown, schema: Schema, path = ''): string[] {
  const shapes = shapesOf(schema);
  if (Array.isArray(body)) {
    const items = shapes.find((shape) => shape.items)?.items;
    return items ? body.flatMap((entry) => undeclared(entry, items, `${path}[]`)) : [];
  }
  if (typeof body !== 'object' || body === null || shapes.some(isMap)) return [];
  return Object.entries(body).flatMap(([name, value]) => {
    const inner = shapes.flatMap((shape) => shape.properties?.[name] ?? []);
    const [first] = inner;
    return first ? undeclared(value, first, `${path}.${name}`) : [`${path}.${name}`];
  });
}

type Listed = readonly [string, Endpoint];
const writesOf = (endpoints: readonly Endpoint[]): Listed[] =>
  endpoints
    .filter(({ body }) => body)
    .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);

function stripAsTheServerDoes(app: FastifyInstance, { body: schema }: Endpoint): unknown {
  const validate = app.validatorCompiler?.({
    schema,
    httpPart: 'body',
    method: 'POST',
    url: '/',
  });
  const body = stuffed(schema as Schema);
  // Whether it is valid does not matter here: what validation leaves is all that a handler could ever see.
  validate?.(body);
  return body;
}

describe('every write', () => {
  it.each(['client', 'admin'] as const)(
    'of the %s API drops every column that it does not declare',
    (api) => {
      const writes = writesOf(service.app.endpoints[api]);
      expect(writes.length).toBeGreaterThan(15);
      // The check can fail: as sent, before anything was dropped, almost every body would leak.
      const asSent = writes.filter(
        ([, { body }]) => undeclared(stuffed(body as Schema), body as Schema).length > 0,
      );
      expect(asSent.length).toBeGreaterThan(writes.length * 0.9);
      const leaks = writes.flatMap(([name, endpoint]) =>
        undeclared(stripAsTheServerDoes(service.app.client, endpoint), endpoint.body as Schema).map(
          (path) => `${name} ${path}`,
        ),
      );
      expect(leaks).toEqual([]);
    },
  );

  it('of a customer declares nothing that the service decides', () => {
    const ours = new Set(
      columns.filter((name) =>
        /^(id|user_id|admin_id|status|created_at|updated_at|.*_at|.*_by|.*_hash|.*_digest|.*_minor|role.*|permissions|drives_.*|usage_count|attempts)$/.test(
          name,
        ),
      ),
    );
    const declared = writesOf(service.app.endpoints.client).flatMap(([name, { body }]) =>
      namesIn(body as Schema)
        .filter((field) => ours.has(field))
        .map((field) => `${name} ${field}`),
    );
    expect(declared).toEqual([]);
  });

  it('that registers a customer stores the defaults, whatever else was sent', async () => {
    const msisdn = '+8801712340001';
    await call(service, { path: '/auth/send-otp', body: { msisdn } });
    const sms = await fetch(`${service.sandboxUrl}/_control/sms?to=${encodeURIComponent(msisdn)}`);
    const { items } = (await sms.json()) as { items: { text: string }[] };
    const otp_code = /\b\d{6}\b/.exec(items.at(-1)?.text ?? '')?.[0];
    const extra = Object.fromEntries(columns.map((name) => [name, 'stuffed']));
    const wanted = { msisdn, otp_code, name: 'Rahima', password: 'a long password' };
    const body = { ...extra, id: 1, status: 'blocked', email_verified_at: new Date(), ...wanted };
    expect((await call(service, { path: '/auth/register', body })).status).toBe(201);
    const { rows } = await service.db.query(
      'SELECT status, email, email_verified_at, marketing, language FROM users WHERE msisdn = $1',
      [msisdn],
    );
    expect(rows).toEqual([
      { status: 'active', email: null, email_verified_at: null, marketing: false, language: 'en' },
    ]);
  });
});

function namesIn(schema: Schema): string[] {
  return shapesOf(schema).flatMap((shape) => [
    ...Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => [name, ...namesIn(inner)]),
    ...(shape.items ? namesIn(shape.items) : []),
  ]);
}
