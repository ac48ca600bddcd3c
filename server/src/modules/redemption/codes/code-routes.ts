import { Readable } from 'node:stream';

import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { findCampaign } from '../campaigns/campaign-store.ts';
import { noCampaign } from '../errors.ts';
import { normaliseToken, tokenDigest, voucherCodeDigest } from '../redemption-secrets.ts';
import { changeCode } from './change-code.ts';
import { listCodes } from './code-store.ts';
import {
  changeBodySchema,
  codeSchema,
  codeStatusSchema,
  toCode,
  voidBodySchema,
  voidedSchema,
} from './code-wire.ts';
import { exportCodes } from './export-codes.ts';
import { readBaseUrl } from './link-rules.ts';
import { deleteCode, voidCodes } from './remove-codes.ts';
import type { StockRoutesDeps } from './stock-routes.ts';

const tag = 'Redemption';
const read = { permission: 'redemption:read' } as const;
const write = { permission: 'redemption:write' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });

export interface CodeRoutesDeps extends StockRoutesDeps {
  /** Where QR links lead when an export names no other place. */
  readonly publicUrl: string;
}

/** Reading and ending codes; where they come from is in stock-routes. */
export function codeRoutes(deps: CodeRoutesDeps): Endpoint[] {
  return [listRoute(deps), exportRoute(deps), ...changeRoutes(deps)];
}

function listRoute(deps: CodeRoutesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/redemption/campaigns/:id/codes',
    access: read,
    summary: 'Codes of a campaign',
    tag,
    params,
    query: Type.Object({
      ...pageQuery,
      status: Type.Optional(codeStatusSchema),
      search: Type.Optional(
        Type.String({
          maxLength: 500,
          description: 'A code, a voucher code or an id, in full: they are stored sealed',
        }),
      ),
    }),
    data: pageSchema(codeSchema),
    errors: ['NOT_FOUND'],
    handle: async ({ params: { id }, query }) => {
      const { page, limit, status, search } = query;
      const wanted = {
        campaignId: id,
        status: status ?? null,
        search: searchFor(deps, search?.trim() ?? ''),
        limit,
        offset: (page - 1) * limit,
      };
      const [campaign, { rows, total }] = await Promise.all([
        findCampaign(deps.db, id),
        listCodes(deps.db, wanted),
      ]);
      if (!campaign) throw noCampaign();
      return pageOf(
        rows.map((row) => toCode(deps.box, row)),
        { page, limit, total },
      );
    },
  });
}

function searchFor(deps: CodeRoutesDeps, text: string) {
  if (text === '') return null;
  return {
    tokenDigest: tokenDigest(deps.box, normaliseToken(text)),
    voucherCodeDigest: voucherCodeDigest(deps.box, text),
    id: /^\d{1,15}$/.test(text) ? Number(text) : null,
  };
}

function exportRoute(deps: CodeRoutesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/redemption/campaigns/:id/codes/export',
    access: { permission: 'redemption:export' },
    summary: 'All codes as CSV, voucher codes included',
    description:
      'Columns code, url, status, actual_voucher_code, created_at. Each download is in the audit log.',
    tag,
    params,
    query: Type.Object({
      base_url: Type.Optional(
        Type.String({ maxLength: 500, description: 'Of the links; ours when left out' }),
      ),
      status: Type.Optional(codeStatusSchema),
      generation_id: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
    data: Type.Null(),
    errors: ['NOT_FOUND'],
    handle: async (call) => {
      const { id } = call.params;
      const { base_url: given, status, generation_id: generationId } = call.query;
      const baseUrl = readBaseUrl(given ?? deps.publicUrl);
      const campaign = await findCampaign(deps.db, id);
      if (!campaign) throw noCampaign();
      await inTransaction(deps.db, (tx) =>
        deps.recordAudit(tx, {
          ...auditActor(call),
          action: 'redemption:export-codes',
          resource: `redemption_campaign:${id}`,
          after: { base_url: baseUrl, status: status ?? null },
        }),
      );
      const selection = {
        campaignId: id,
        statuses: status ? [status] : null,
        generationId: generationId ?? null,
      };
      return {
        raw: true as const,
        status: 200,
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="campaign-${id}-codes.csv"`,
          'x-content-type-options': 'nosniff',
        },
        body: Readable.from(exportCodes(deps, { selection, baseUrl })),
      };
    },
  });
}

function changeRoutes(deps: CodeRoutesDeps): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/redemption/campaigns/:id/codes/void',
      access: write,
      summary: 'Void unused codes',
      tag,
      params,
      body: voidBodySchema,
      data: voidedSchema,
      errors: ['NOT_FOUND'],
      handle: async (call) => {
        const { voided, skipped } = await voidCodes(deps, {
          campaignId: call.params.id,
          ids: call.body.ids,
          actor: auditActor(call),
        });
        return answer({ voided: voided.length, skipped }, { message: `${voided.length} code(s) voided` });
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/redemption/codes/:id',
      access: write,
      summary: 'Set voucher code, instructions or status of a code',
      description: 'A voucher code makes a `pending_stock` code `unused`. `redeemed` cannot be set.',
      tag,
      params,
      body: changeBodySchema,
      data: codeSchema,
      errors: ['NOT_FOUND', 'CONFLICT'],
      handle: async (call) => {
        const { actual_voucher_code: voucherCode, instructions, status } = call.body;
        const changed = await changeCode(deps, {
          codeId: call.params.id,
          change: { voucherCode: voucherCode?.trim(), instructions, status },
          actor: auditActor(call),
        });
        return answer(toCode(deps.box, changed), { message: 'Code updated' });
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/redemption/codes/:id',
      access: write,
      summary: 'Delete a code that was not redeemed',
      tag,
      params,
      data: Type.Object({ id: Type.Integer() }),
      errors: ['NOT_FOUND', 'CONFLICT'],
      handle: async (call) => {
        await deleteCode(deps, { codeId: call.params.id, actor: auditActor(call) });
        return answer({ id: call.params.id }, { message: 'Code deleted' });
      },
    }),
  ];
}
