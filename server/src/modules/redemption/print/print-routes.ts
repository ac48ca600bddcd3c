import { Readable } from 'node:stream';

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import type { RecordAudit } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { endpoint } from '../../../platform/http/endpoint.ts';
import type { AdminCaller, Endpoint, RawAnswer } from '../../../platform/http/endpoint.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import type { Clock } from '../../../platform/time.ts';
import { findCampaign } from '../campaigns/campaign-store.ts';
import { countSelectedCodes, listCodesAfter } from '../codes/code-store.ts';
import type { CodeSelection } from '../codes/code-store.ts';
import { codeStatusSchema } from '../codes/code-wire.ts';
import { readBaseUrl } from '../codes/link-rules.ts';
import { noCampaign } from '../errors.ts';
import { openCodeStatuses } from '../redemption-code-states.ts';
import type { RedemptionCodeStatus } from '../redemption-code-states.ts';
import { redemptionContexts } from '../redemption-secrets.ts';
import { printCodes } from './print-codes.ts';
import type { PrintTask } from './print-task.ts';
import { toPrintedCode } from './printed-code.ts';
import { outerModules } from './qr-matrix.ts';
import { checkModuleSize, SHEET_PRESETS } from './sheet-layout-rules.ts';
import type { SheetPreset } from './sheet-layout-rules.ts';

export interface PrintDeps {
  readonly db: Database;
  readonly clock: Clock;
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
        const { format } = call.query;
        const printing = await preparePrinting(deps, call, { kind: 'zip', format });
        return download(deps, printing, { type: 'application/zip', ending: 'qr.zip' });
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
        const { preset, cut_lines: cutLines } = call.query;
        const printing = await preparePrinting(deps, call, { kind: 'sheet', preset, cutLines });
        await checkPrintable(deps, printing, preset);
        return download(deps, printing, { type: 'application/pdf', ending: 'sheet.pdf' });
      },
    }),
  ];
}

interface Printing {
  readonly selection: CodeSelection;
  readonly task: PrintTask;
}

interface PrintCall {
  readonly params: { readonly id: number };
  readonly query: {
    readonly base_url?: string;
    readonly status?: RedemptionCodeStatus | 'all';
    readonly generation_id?: number;
  };
  readonly caller: AdminCaller;
  readonly request: FastifyRequest;
}

async function preparePrinting(deps: PrintDeps, call: PrintCall, form: PrintTask['form']): Promise<Printing> {
  const { id } = call.params;
  const { base_url: given, status, generation_id: generationId } = call.query;
  const baseUrl = readBaseUrl(given ?? deps.publicUrl);
  const selection = { campaignId: id, statuses: statusesOf(status), generationId: generationId ?? null };
  const [campaign, total] = await Promise.all([
    findCampaign(deps.db, id),
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
      ...auditActor(call),
      action: 'redemption:print-codes',
      resource: `redemption_campaign:${id}`,
      after: { base_url: baseUrl, codes: total },
    }),
  );
  const { name, headline, cta_text } = campaign;
  const printedAt = deps.clock.now().toISOString();
  return { selection, task: { form, total, printedAt, baseUrl, campaign: { id, name, headline, cta_text } } };
}

/** Before the first byte leaves: the first code shows how fine all of them would be. */
async function checkPrintable(deps: PrintDeps, printing: Printing, preset: SheetPreset): Promise<void> {
  const [first] = await listCodesAfter(deps.db, printing.selection, { afterId: 0, limit: 1 });
  if (!first) return;
  const token = deps.box.open(first.token_sealed, redemptionContexts.token);
  checkModuleSize(preset, outerModules(toPrintedCode(1, token, printing.task.baseUrl).matrix));
}

function statusesOf(status: RedemptionCodeStatus | 'all' | undefined): RedemptionCodeStatus[] | null {
  if (status === 'all') return null;
  return status === undefined ? [...openCodeStatuses] : [status];
}

function download(
  deps: PrintDeps,
  { selection, task }: Printing,
  file: { type: string; ending: string },
): RawAnswer {
  return {
    raw: true,
    status: 200,
    headers: {
      'content-type': file.type,
      'content-disposition': `attachment; filename="campaign-${task.campaign.id}-${file.ending}"`,
      'x-content-type-options': 'nosniff',
    },
    body: Readable.from(printCodes(deps, selection, task)),
  };
}
