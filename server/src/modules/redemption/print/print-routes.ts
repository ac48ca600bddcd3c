import { Readable } from 'node:stream';

import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import type { RecordAudit } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint, RawAnswer } from '../../../platform/http/endpoint.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { findCampaign } from '../campaigns/campaign-store.ts';
import type { Actor } from '../campaigns/create-campaign.ts';
import { countSelectedCodes } from '../codes/code-store.ts';
import { codeStatusSchema } from '../codes/code-wire.ts';
import { readBaseUrl } from '../codes/link-rules.ts';
import { noCampaign } from '../errors.ts';
import { openCodeStatuses } from '../redemption-code-states.ts';
import type { RedemptionCodeStatus } from '../redemption-code-states.ts';
import { checkSheet, writeSheet } from './print-sheet.ts';
import { readPrintedCodes } from './printed-code.ts';
import type { Printing } from './printed-code.ts';
import { writeQrZip } from './qr-zip.ts';
import { SHEET_PRESETS } from './sheet-layout-rules.ts';

export interface PrintDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly recordAudit: RecordAudit;
  readonly publicUrl: string;
}

const tag = 'Redemption';
const access = { permission: 'redemption:export' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });
const MOST_CODES = 50_000;

const selectionQuery = {
  base_url: Type.Optional(Type.String({ maxLength: 500, description: 'Of the links; ours when left out' })),
  status: Type.Optional(
    Type.Union([codeStatusSchema, Type.Literal('all')], {
      description: 'When left out: those that can still be redeemed, now or once they are filled',
    }),
  ),
  generation_id: Type.Optional(Type.Integer({ minimum: 1, description: 'Only those of one generation' })),
};

/** Print-ready codes (decisions 7.8). What a code reveals is never among it. */
export function printRoutes(deps: PrintDeps): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/redemption/campaigns/:id/codes/qr.zip',
      access,
      summary: 'One QR picture for each code, with a manifest',
      tag,
      params,
      query: Type.Object({
        ...selectionQuery,
        format: Type.Enum(['svg', 'png'], { default: 'svg' }),
      }),
      data: Type.Null(),
      errors: ['NOT_FOUND', 'BAD_REQUEST'],
      handle: async (call) => {
        const asked = { campaignId: call.params.id, query: call.query, actor: auditActor(call) };
        const printing = await preparePrinting(deps, asked);
        const { format } = call.query;
        return download(Readable.from(writeQrZip(deps, printing, format)), {
          type: 'application/zip',
          name: `campaign-${call.params.id}-qr.zip`,
        });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/redemption/campaigns/:id/codes/sheet.pdf',
      access,
      summary: 'A4 sheets of QR cards to print and cut',
      tag,
      params,
      query: Type.Object({
        ...selectionQuery,
        preset: Type.Enum([...SHEET_PRESETS], { default: '3x8', description: 'Cards across × down' }),
        cut_lines: Type.Boolean({ default: true }),
      }),
      data: Type.Null(),
      errors: ['NOT_FOUND', 'BAD_REQUEST'],
      handle: async (call) => {
        const asked = { campaignId: call.params.id, query: call.query, actor: auditActor(call) };
        const { preset, cut_lines: cutLines } = call.query;
        const printing = await preparePrinting(deps, asked);
        for await (const { url } of readPrintedCodes(deps, printing)) {
          checkSheet(preset, url);
          break;
        }
        return download(Readable.from(writeSheet(deps, printing, { preset, cutLines })), {
          type: 'application/pdf',
          name: `campaign-${call.params.id}-sheet.pdf`,
        });
      },
    }),
  ];
}

interface Asked {
  readonly campaignId: number;
  readonly actor: Actor;
  readonly query: {
    readonly base_url?: string;
    readonly status?: RedemptionCodeStatus | 'all';
    readonly generation_id?: number;
  };
}

async function preparePrinting(deps: PrintDeps, asked: Asked): Promise<Printing> {
  const { campaignId, query, actor } = asked;
  const baseUrl = readBaseUrl(query.base_url ?? deps.publicUrl);
  const selection = {
    campaignId,
    statuses: statusesOf(query.status),
    generationId: query.generation_id ?? null,
  };
  const [campaign, total] = await Promise.all([
    findCampaign(deps.db, campaignId),
    countSelectedCodes(deps.db, selection),
  ]);
  if (!campaign) throw noCampaign();
  if (total > MOST_CODES) {
    throw new AppError(
      'BAD_REQUEST',
      `A file holds ${MOST_CODES} codes, these are ${total}: name a generation_id`,
    );
  }
  await inTransaction(deps.db, (tx) =>
    deps.recordAudit(tx, {
      ...actor,
      action: 'redemption:print-codes',
      resource: `redemption_campaign:${campaignId}`,
      after: { base_url: baseUrl, codes: total },
    }),
  );
  return { selection, total, baseUrl, campaign };
}

function statusesOf(status: RedemptionCodeStatus | 'all' | undefined): RedemptionCodeStatus[] | null {
  if (status === 'all') return null;
  return status === undefined ? [...openCodeStatuses] : [status];
}

function download(body: Readable, file: { type: string; name: string }): RawAnswer {
  return {
    raw: true,
    status: 200,
    headers: {
      'content-type': file.type,
      'content-disposition': `attachment; filename="${file.name}"`,
      'x-content-type-options': 'nosniff',
    },
    body,
  };
}
