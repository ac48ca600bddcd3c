import { Type } from 'typebox';
import type { Static } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { fieldError } from '../../../platform/errors.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { parseMinor } from '../../../platform/money.ts';
import { changeSource, createSource, prioritiseSources, removeSource } from './save-source.ts';
import type { SaveSourceDeps } from './save-source.ts';
import { listSources, listSourcesOfVariant } from './source-store.ts';
import type { SourceValues } from './source-store.ts';
import { newSourceBody, prioritiesBody, sourceBody, sourceSchema, toSourceWire } from './source-wire.ts';

const tag = 'Partner sources';
const read = { permission: 'partners:read' } as const;
const write = { permission: 'partners:write' } as const;
const id = Type.Integer({ minimum: 1 });
const params = Type.Object({ id });

export function sourceRoutes(deps: SaveSourceDeps): Endpoint[] {
  return [...listRoutes(deps), ...writeRoutes(deps), ...variantRoutes(deps)];
}

function listRoutes({ db }: SaveSourceDeps): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/partner-sources',
      access: read,
      summary: 'Where variants are bought',
      tag,
      query: Type.Object({
        ...pageQuery,
        variant_id: Type.Optional(id),
        partner_id: Type.Optional(id),
        is_active: Type.Optional(Type.Boolean()),
      }),
      data: pageSchema(sourceSchema),
      async handle({ query }) {
        const { page, limit, variant_id, partner_id, is_active } = query;
        const filter = {
          variantId: variant_id ?? null,
          partnerId: partner_id ?? null,
          isActive: is_active ?? null,
        };
        const { rows, total } = await listSources(db, { ...filter, limit, offset: (page - 1) * limit });
        return pageOf(rows.map(toSourceWire), { page, limit, total });
      },
    }),
  ];
}

function writeRoutes(deps: SaveSourceDeps): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/partner-sources',
      access: write,
      summary: 'Say where a variant can be bought',
      tag,
      body: newSourceBody,
      data: sourceSchema,
      status: 201,
      errors: ['NOT_FOUND', 'CONFLICT'],
      async handle(call) {
        const { variant_id, partner_id, partner_product } = call.body;
        const source = { ...defaults, variant_id, partner_id, partner_product, ...valuesIn(call.body) };
        return toSourceWire(await createSource(deps, auditActor(call), source));
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/partner-sources/:id',
      access: write,
      summary: 'Change a source',
      tag,
      params,
      body: sourceBody,
      data: sourceSchema,
      errors: ['NOT_FOUND', 'CONFLICT'],
      async handle(call) {
        const change = { id: call.params.id, ...valuesIn(call.body) };
        return toSourceWire(await changeSource(deps, auditActor(call), change));
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/partner-sources/:id',
      access: write,
      summary: 'Remove a source from which nothing was ever bought',
      tag,
      params,
      data: sourceSchema,
      errors: ['NOT_FOUND', 'CONFLICT'],
      handle: async (call) => toSourceWire(await removeSource(deps, auditActor(call), call.params.id)),
    }),
  ];
}

function variantRoutes(deps: SaveSourceDeps): Endpoint[] {
  const list = Type.Object({ items: Type.Array(sourceSchema) });
  return [
    endpoint({
      method: 'GET',
      path: '/variants/:id/partner-sources',
      access: read,
      summary: 'A variant’s sources, in the order in which they are tried',
      tag,
      params,
      data: list,
      handle: async ({ params: variant }) => ({
        items: (await listSourcesOfVariant(deps.db, variant.id)).map(toSourceWire),
      }),
    }),
    endpoint({
      method: 'PUT',
      path: '/variants/:id/partner-sources/priority',
      access: write,
      summary: 'Set the order in which a variant’s sources are tried',
      description: 'The next source is tried only after a definite no of the one before.',
      tag,
      params,
      body: prioritiesBody,
      data: list,
      errors: ['NOT_FOUND'],
      async handle(call) {
        const wanted = { variantId: call.params.id, items: call.body.items };
        const rows = await prioritiseSources(deps, auditActor(call), wanted);
        return { items: rows.map(toSourceWire) };
      },
    }),
  ];
}

const defaults: Omit<SourceValues, 'partner_product'> = {
  options: {},
  cost_minor: null,
  priority: 100,
  is_active: true,
  required_fields: [],
};

/** What the body names; the rest stays. */
function valuesIn(body: Static<typeof sourceBody>): Partial<SourceValues> {
  const { cost, partner_product, options, priority, is_active, required_fields } = body;
  const given = { partner_product, options, priority, is_active, required_fields };
  const values = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return cost === undefined ? values : { ...values, cost_minor: costOf(cost) };
}

function costOf(cost: number | null): number | null {
  if (cost === null) return null;
  const minor = parseMinor(cost);
  if (minor === undefined) throw fieldError('cost', 'must be an amount with at most two decimals');
  return minor;
}
