import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { countCodesByStatus } from '../codes/code-store.ts';
import { noCampaign } from '../errors.ts';
import { findCampaign, listCampaigns, CAMPAIGN_SORTS } from './campaign-store.ts';
import {
  campaignChangesSchema,
  campaignDetailSchema,
  campaignSchema,
  campaignStatusSchema,
  newCampaignSchema,
  statsSchema,
  toCampaign,
  toChanges,
  toNewFields,
  toStats,
} from './campaign-wire.ts';
import { createCampaign } from './create-campaign.ts';
import type { CampaignDeps } from './create-campaign.ts';
import { deleteCampaign } from './delete-campaign.ts';
import { updateCampaign } from './update-campaign.ts';

const tag = 'Redemption';
const read = { permission: 'redemption:read' } as const;
const write = { permission: 'redemption:write' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });

export function campaignRoutes(deps: CampaignDeps): Endpoint[] {
  return [...readRoutes(deps), ...writeRoutes(deps)];
}

function readRoutes(deps: CampaignDeps): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/redemption/campaigns',
      access: read,
      summary: 'Redemption campaigns',
      tag,
      query: Type.Object({
        ...pageQuery,
        status: Type.Optional(campaignStatusSchema),
        search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of name or slug' })),
        sort: Type.Optional(Type.Enum(CAMPAIGN_SORTS, { default: '-id' })),
      }),
      data: pageSchema(campaignSchema),
      handle: async ({ query }) => {
        const { page, limit, status, search, sort } = query;
        const { rows, total } = await listCampaigns(deps.db, {
          status: status ?? null,
          search: search?.trim() || null,
          sort: sort ?? '-id',
          limit,
          offset: (page - 1) * limit,
        });
        return pageOf(rows.map(toCampaign), { page, limit, total });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/redemption/campaigns/:id',
      access: read,
      summary: 'One campaign with its code count',
      tag,
      params,
      data: campaignDetailSchema,
      errors: ['NOT_FOUND'],
      handle: async ({ params: { id } }) => {
        const [campaign, counts] = await Promise.all([
          findCampaign(deps.db, id),
          countCodesByStatus(deps.db, id),
        ]);
        if (!campaign) throw noCampaign();
        return { ...toCampaign(campaign), code_count: toStats(counts).total };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/redemption/campaigns/:id/stats',
      access: read,
      summary: 'How many codes are in which state',
      tag,
      params,
      data: statsSchema,
      errors: ['NOT_FOUND'],
      handle: async ({ params: { id } }) => {
        const [campaign, counts] = await Promise.all([
          findCampaign(deps.db, id),
          countCodesByStatus(deps.db, id),
        ]);
        if (!campaign) throw noCampaign();
        return toStats(counts);
      },
    }),
  ];
}

function writeRoutes(deps: CampaignDeps): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/redemption/campaigns',
      access: write,
      summary: 'Create a campaign',
      tag,
      body: newCampaignSchema,
      data: campaignSchema,
      status: 201,
      errors: ['CONFLICT'],
      handle: async (call) => {
        const input = { fields: toNewFields(call.body), actor: auditActor(call) };
        return answer(toCampaign(await createCampaign(deps, input)), { message: 'Campaign created' });
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/redemption/campaigns/:id',
      access: write,
      summary: 'Change a campaign',
      description:
        'What is left out stays. Codes of a campaign that has ended stay expired when its end is moved.',
      tag,
      params,
      body: campaignChangesSchema,
      data: campaignSchema,
      errors: ['NOT_FOUND', 'CONFLICT'],
      handle: async (call) => {
        const input = {
          campaignId: call.params.id,
          changes: toChanges(call.body),
          actor: auditActor(call),
        };
        return answer(toCampaign(await updateCampaign(deps, input)), { message: 'Campaign updated' });
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/redemption/campaigns/:id',
      access: write,
      summary: 'Delete a campaign and its codes',
      description: 'Refused once any of its codes was redeemed. The attempt log stays.',
      tag,
      params,
      data: Type.Object({ id: Type.Integer(), deleted_codes: Type.Integer() }),
      errors: ['NOT_FOUND', 'CONFLICT'],
      handle: async (call) => {
        const { codes } = await deleteCampaign(deps, {
          campaignId: call.params.id,
          actor: auditActor(call),
        });
        return answer({ id: call.params.id, deleted_codes: codes }, { message: 'Campaign deleted' });
      },
    }),
  ];
}
