import { Type } from 'typebox';
import type { Static } from 'typebox';

import type { Database } from '../../../platform/db/database.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { limitAddress } from '../../../platform/http/throttle-address.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { normaliseToken, tokenDigest } from '../redemption-secrets.ts';
import { listAttempts } from './attempt-store.ts';
import { actionSchema, attemptSchema, outcomeSchema, toAttempt } from './attempt-wire.ts';

export interface AttemptDeps {
  readonly db: Database;
  readonly box: SecretBox;
}

const tag = 'Redemption';
const read = { permission: 'redemption:read' } as const;

const filters = {
  ...pageQuery,
  action: Type.Optional(actionSchema),
  outcome: Type.Optional(outcomeSchema),
  ip: Type.Optional(Type.String({ maxLength: 64, description: 'An IPv6 address finds its whole /64' })),
  phone: Type.Optional(Type.String({ maxLength: 40, description: 'With or without country code' })),
  code: Type.Optional(Type.String({ maxLength: 200 })),
  redemption_code_id: Type.Optional(Type.Integer({ minimum: 1 })),
};
const campaignFilters = Type.Object(filters);
const allFilters = Type.Object({ ...filters, campaign_id: Type.Optional(Type.Integer({ minimum: 1 })) });

export function attemptRoutes(deps: AttemptDeps): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/redemption/campaigns/:id/attempts',
      access: read,
      summary: 'Every lookup and redeem of a campaign, the newest first',
      tag,
      params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
      query: campaignFilters,
      data: pageSchema(attemptSchema),
      handle: ({ params, query }) => readPage(deps, { ...query, campaign_id: params.id }),
    }),
    endpoint({
      method: 'GET',
      path: '/redemption/attempts',
      access: read,
      summary: 'Every lookup and redeem, unknown codes and deleted campaigns included',
      tag,
      query: allFilters,
      data: pageSchema(attemptSchema),
      handle: ({ query }) => readPage(deps, query),
    }),
  ];
}

async function readPage(deps: AttemptDeps, query: Static<typeof allFilters>) {
  const { page, limit } = query;
  const { rows, total } = await listAttempts(deps.db, {
    campaignId: query.campaign_id ?? null,
    codeId: query.redemption_code_id ?? null,
    action: query.action ?? null,
    outcome: query.outcome ?? null,
    ipKey: query.ip ? limitAddress(query.ip.trim()) : null,
    phoneEnding: query.phone ? query.phone.replaceAll(/\D/g, '').slice(-10) : null,
    tokenDigest: query.code ? tokenDigest(deps.box, normaliseToken(query.code)) : null,
    limit,
    offset: (page - 1) * limit,
  });
  return pageOf(
    rows.map((row) => toAttempt(deps.box, row)),
    { page, limit, total },
  );
}
