import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { fieldError } from '../../../platform/errors.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { parseMinor } from '../../../platform/money.ts';
import { findPartner, listPartners } from './partner-store.ts';
import {
  credentialsBody,
  newPartnerBody,
  partnerBody,
  partnerSchema,
  partnerStatusSchema,
  statusBody,
  toPartnerWire,
} from './partner-wire.ts';
import {
  changePartner,
  changePartnerStatus,
  createPartner,
  partnerNotFound,
  replaceCredentials,
} from './save-partner.ts';
import type { SavePartnerDeps } from './save-partner.ts';

const tag = 'Partners';
const read = { permission: 'partners:read' } as const;
const write = { permission: 'partners:write' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });

export function partnerRoutes(deps: SavePartnerDeps): Endpoint[] {
  return [...readRoutes(deps), ...writeRoutes(deps), ...switchRoutes(deps)];
}

function readRoutes({ db }: SavePartnerDeps): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/partners',
      access: read,
      summary: 'Upstream partners, by name',
      tag,
      query: Type.Object({
        ...pageQuery,
        status: Type.Optional(partnerStatusSchema),
        search: Type.Optional(Type.String({ maxLength: 120 })),
      }),
      data: pageSchema(partnerSchema),
      async handle({ query: { page, limit, status = null, search = null } }) {
        const { rows, total } = await listPartners(db, { status, search, limit, offset: (page - 1) * limit });
        return pageOf(rows.map(toPartnerWire), { page, limit, total });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/partners/:id',
      access: read,
      summary: 'One partner; its credentials are not shown',
      tag,
      params,
      data: partnerSchema,
      errors: ['NOT_FOUND'],
      async handle({ params: { id } }) {
        const row = await findPartner(db, id);
        if (!row) throw partnerNotFound();
        return toPartnerWire(row);
      },
    }),
  ];
}

function writeRoutes(deps: SavePartnerDeps): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/partners',
      access: write,
      summary: 'Add a partner',
      tag,
      body: newPartnerBody,
      data: partnerSchema,
      status: 201,
      errors: ['CONFLICT'],
      async handle(call) {
        const { balance_threshold: threshold = null, credentials, status = 'active', ...values } = call.body;
        const balanceThresholdMinor = thresholdOf(threshold);
        const input = { ...values, credentials, status, balanceThresholdMinor };
        return toPartnerWire(await createPartner(deps, auditActor(call), input));
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/partners/:id',
      access: write,
      summary: 'Change name, configuration or balance threshold',
      tag,
      params,
      body: partnerBody,
      data: partnerSchema,
      errors: ['NOT_FOUND', 'CONFLICT'],
      async handle(call) {
        const { balance_threshold: threshold, name, config } = call.body;
        const change = {
          id: call.params.id,
          ...(name === undefined ? {} : { name }),
          ...(config === undefined ? {} : { config }),
          ...(threshold === undefined ? {} : { balanceThresholdMinor: thresholdOf(threshold) }),
        };
        return toPartnerWire(await changePartner(deps, auditActor(call), change));
      },
    }),
  ];
}

function switchRoutes(deps: SavePartnerDeps): Endpoint[] {
  return [
    endpoint({
      method: 'PUT',
      path: '/partners/:id/credentials',
      access: write,
      summary: 'Replace the credentials: they are encrypted and never shown',
      tag,
      params,
      body: credentialsBody,
      data: partnerSchema,
      errors: ['NOT_FOUND'],
      async handle(call) {
        const change = { id: call.params.id, credentials: call.body.credentials };
        return toPartnerWire(await replaceCredentials(deps, auditActor(call), change));
      },
    }),
    endpoint({
      method: 'PATCH',
      path: '/partners/:id/status',
      access: write,
      summary: 'Switch a partner on, off, or off for a maintenance window',
      description:
        'Nothing is bought from a partner that is off. What was bought before is still asked about.',
      tag,
      params,
      body: statusBody,
      data: partnerSchema,
      errors: ['NOT_FOUND'],
      async handle(call) {
        const { status, maintenance_until: until = null } = call.body;
        const change = {
          id: call.params.id,
          status,
          maintenanceUntil: until === null ? null : new Date(until),
        };
        return toPartnerWire(await changePartnerStatus(deps, auditActor(call), change));
      },
    }),
  ];
}

function thresholdOf(threshold: number | null): number | null {
  if (threshold === null) return null;
  const minor = parseMinor(threshold);
  if (minor === undefined)
    throw fieldError('balance_threshold', 'must be an amount with at most two decimals');
  return minor;
}
