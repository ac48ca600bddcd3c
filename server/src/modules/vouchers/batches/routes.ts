import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import type { Reader } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { UPLOAD_ERRORS } from '../../../platform/http/upload.ts';
import { listBatchProblems, listBatchRows } from './batch-row-store.ts';
import { findCountedBatch, listCountedBatches } from './batch-store.ts';
import { batchReportSchema, batchRowSchema, batchSchema, toBatchReport, toBatchWire } from './batch-wire.ts';
import { batchNotFound, commitBatch } from './commit-batch.ts';
import type { Actor, CommitBatchDeps } from './commit-batch.ts';
import { MOST_BYTES, readBatchRequest } from './read-batch-request.ts';
import type { BatchRequest } from './read-batch-request.ts';
import { recallBatch } from './recall-batch.ts';
import type { RecallBatchDeps } from './recall-batch.ts';
import { listSoldOfBatch } from './recall-store.ts';
import { stageBatch } from './stage-batch.ts';
import type { StageBatchDeps } from './stage-batch.ts';

export interface BatchRoutesDeps extends StageBatchDeps, CommitBatchDeps, RecallBatchDeps {
  readonly findVariantToStock: (
    reader: Reader,
    idOrSku: string,
  ) => Promise<{ readonly variantId: number; readonly brandId: number } | undefined>;
}

const tag = 'Voucher vault';
const read = { permission: 'vouchers:read' } as const;
const write = { permission: 'vouchers:write' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });
const PROBLEMS_SHOWN = 100;

export function batchRoutes(deps: BatchRoutesDeps): Endpoint[] {
  return [uploadRoute(deps), ...readRoutes(deps), rowsRoute(deps), commitRoute(deps), recallRoute(deps)];
}

async function reportOf(deps: BatchRoutesDeps, id: number) {
  const [row, problems] = await Promise.all([
    findCountedBatch(deps.db, id),
    listBatchProblems(deps.db, id, PROBLEMS_SHOWN),
  ]);
  if (!row) throw batchNotFound(id);
  return toBatchReport(row, problems);
}

function uploadRoute(deps: BatchRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/voucher-batches',
    access: write,
    summary: 'Upload codes as a batch: checked row by row, sellable once committed',
    description:
      'JSON `{variant_id, supplier, cost, invoice, codes: [{code, pin, redemption_url, serial_number, expires_at}]}`, ' +
      'or `multipart/form-data` with a CSV `file` of those columns and the other fields as parts. Answers the dry ' +
      'run’s report; `?commit=true` makes the codes sellable at once. Good rows go in although others are wrong. ' +
      'At most 10 MiB.',
    tag,
    upload: true,
    bodyLimitBytes: MOST_BYTES,
    query: Type.Object({ commit: Type.Boolean({ default: false }) }),
    data: batchReportSchema,
    status: 201,
    errors: [...UPLOAD_ERRORS, 'NOT_FOUND', 'CONFLICT'],
    handle: async (call) => {
      const given = await readBatchRequest(call.request);
      const actor = auditActor(call);
      const id = await upload(deps, given, actor);
      if (call.query.commit) await commitBatch(deps, { id, actor });
      const report = await reportOf(deps, id);
      const { imported, valid } = report.rows;
      const message = call.query.commit
        ? `${imported} code(s) are for sale`
        : `${valid} code(s) can be committed`;
      return answer(report, { message });
    },
  });
}

async function upload(deps: BatchRoutesDeps, given: BatchRequest, actor: Actor): Promise<number> {
  const { rows, ...facts } = given;
  const variant = await deps.findVariantToStock(deps.db, String(facts.variantId));
  if (variant?.variantId !== facts.variantId) {
    throw new AppError('NOT_FOUND', `There is no variant ${facts.variantId}`);
  }
  const batch = { ...facts, uploadedBy: actor.adminId };
  const id = await stageBatch(deps, { batch, brandId: variant.brandId, rows });
  const { supplier, invoice, costMinor } = facts;
  await inTransaction(deps.db, (tx) =>
    deps.recordAudit(tx, {
      ...actor,
      action: 'vouchers:upload_batch',
      resource: `voucher_batch:${id}`,
      after: { variant_id: facts.variantId, supplier, invoice, cost_minor: costMinor },
    }),
  );
  return id;
}

function readRoutes(deps: BatchRoutesDeps): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/voucher-batches',
      access: read,
      summary: 'Batches, newest first',
      tag,
      query: Type.Object({
        ...pageQuery,
        variant_id: Type.Optional(Type.Integer({ minimum: 1 })),
        status: Type.Optional(Type.Enum(['loading', 'validating', 'committed', 'recalled'])),
        search: Type.Optional(
          Type.String({ maxLength: 200, description: 'In supplier, invoice or file name' }),
        ),
      }),
      data: pageSchema(batchSchema),
      handle: async ({ query }) => {
        const { page, limit } = query;
        const filter = {
          variantId: query.variant_id ?? null,
          status: query.status ?? null,
          search: query.search ?? null,
        };
        const { rows, total } = await listCountedBatches(deps.db, filter, {
          limit,
          offset: (page - 1) * limit,
        });
        return pageOf(rows.map(toBatchWire), { page, limit, total });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/voucher-batches/:id',
      access: read,
      summary: 'One batch with its report',
      tag,
      params,
      data: batchReportSchema,
      errors: ['NOT_FOUND'],
      handle: ({ params: of }) => reportOf(deps, of.id),
    }),
  ];
}

function rowsRoute(deps: BatchRoutesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/voucher-batches/:id/rows',
    access: read,
    summary: 'What became of each row of a batch',
    tag,
    params,
    query: Type.Object({
      ...pageQuery,
      outcome: Type.Optional(
        Type.Enum(['valid', 'imported', 'duplicate_in_file', 'already_stored', 'invalid']),
      ),
    }),
    data: pageSchema(batchRowSchema),
    errors: ['NOT_FOUND'],
    handle: async ({ params: of, query: { page, limit, outcome } }) => {
      const filter = { batchId: of.id, outcome: outcome ?? null };
      const [batch, { rows, total }] = await Promise.all([
        findCountedBatch(deps.db, of.id),
        listBatchRows(deps.db, filter, { limit, offset: (page - 1) * limit }),
      ]);
      if (!batch) throw batchNotFound(of.id);
      return pageOf(rows, { page, limit, total });
    },
  });
}

function commitRoute(deps: BatchRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/voucher-batches/:id/commit',
    access: write,
    summary: 'Make the valid codes of a batch sellable; again finishes a commit that was cut off',
    tag,
    params,
    data: batchReportSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async (call) => {
      await commitBatch(deps, { id: call.params.id, actor: auditActor(call) });
      const report = await reportOf(deps, call.params.id);
      return answer(report, { message: `${report.rows.imported} code(s) are for sale` });
    },
  });
}

const soldSchema = Type.Object({
  voucher_id: Type.Integer(),
  order_id: Type.Integer(),
  order_number: Type.String(),
  orderItemId: Type.Integer(),
  delivery_email: Type.Union([Type.String(), Type.Null()]),
  assigned_at: Type.String({ format: 'date-time' }),
});
const SOLD_SHOWN = 1_000;

function recallRoute(deps: BatchRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/voucher-batches/:id/recall',
    access: write,
    summary: 'Call a batch back: nothing unsold of it is sold; what was delivered is listed for replacement',
    tag,
    params,
    body: Type.Object({ reason: Type.String({ minLength: 3, maxLength: 500 }) }),
    data: Type.Object({
      batch: batchSchema,
      voided: Type.Integer({ description: 'Units that were free' }),
      held_voided: Type.Integer({
        description: 'Units that unpaid orders held: they get others when they are paid',
      }),
      sold: Type.Array(soldSchema, { description: 'The first 1,000' }),
    }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async (call) => {
      const { id } = call.params;
      const recall = await recallBatch(deps, { id, reason: call.body.reason, actor: auditActor(call) });
      const [batch, sold] = await Promise.all([
        findCountedBatch(deps.db, id),
        listSoldOfBatch(deps.db, id, SOLD_SHOWN),
      ]);
      if (!batch) throw batchNotFound(id);
      return {
        batch: toBatchWire(batch),
        voided: recall.voided,
        held_voided: recall.heldVoided,
        sold: sold.map(({ order_item_id: orderItemId, assigned_at: at, ...row }) => ({
          ...row,
          orderItemId,
          assigned_at: at.toISOString(),
        })),
      };
    },
  });
}
