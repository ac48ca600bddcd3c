import { Type } from 'typebox';
import type { Static } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import { listBatches } from './batch-store.ts';
import type { BatchRow } from './batch-store.ts';
import { exportCodes } from './export-codes.ts';
import type { ExportCodesDeps } from './export-codes.ts';
import { startBatch } from './generate-codes.ts';
import type { GenerateCodesDeps } from './generate-codes.ts';

const tag = 'Discount codes';
const id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

const batchSchema = Type.Object({
  id: Type.Integer(),
  discount_id: Type.Integer(),
  prefix: Type.String(),
  code_length: Type.Integer(),
  count: Type.Integer(),
  generated: Type.Integer({ description: 'How many are made so far' }),
  status: Type.String({ description: '`generating`, `ready` or `exported`' }),
  created_by: Type.Integer(),
  created_at: Type.String({ format: 'date-time' }),
  exported_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  exported_by: Type.Union([Type.Integer(), Type.Null()]),
});

function toBatchWire(row: BatchRow): Static<typeof batchSchema> {
  const progress = row.generated < row.wanted ? 'generating' : 'ready';
  const { wanted: count, ...rest } = row;
  return {
    ...rest,
    count,
    status: row.exported_at === null ? progress : 'exported',
    created_at: row.created_at.toISOString(),
    exported_at: row.exported_at?.toISOString() ?? null,
  };
}

export function batchRoutes(deps: GenerateCodesDeps & ExportCodesDeps): Endpoint[] {
  return [generate(deps), list(deps), download(deps)];
}

function generate(deps: GenerateCodesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/discounts/:id/codes/generate',
    access: { permission: 'discounts:write' },
    summary: 'Make a batch of unique codes under one rule, each good for one use',
    description: 'They are made in the background; the list of batches shows the progress.',
    tag,
    params: Type.Object({ id }),
    body: Type.Object({
      count: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      prefix: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,19}$' })),
      code_length: Type.Optional(
        Type.Integer({
          minimum: 8,
          maximum: 32,
          default: 10,
          description: 'Random characters after the prefix',
        }),
      ),
    }),
    data: batchSchema,
    status: 201,
    errors: ['NOT_FOUND'],
    handle: async (call) => {
      const { count, prefix = '', code_length: codeLength = 10 } = call.body;
      const wanted = { discountId: call.params.id, count, prefix: prefix.toUpperCase(), codeLength };
      const batch = await startBatch(deps, wanted, auditActor(call));
      return answer(toBatchWire(batch), { message: `${count} codes are being made` });
    },
  });
}

function list(deps: GenerateCodesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/discounts/:id/codes/batches',
    access: { permission: 'discounts:read' },
    summary: 'Batches of a discount with their progress, newest first',
    tag,
    params: Type.Object({ id }),
    query: Type.Object(pageQuery),
    data: pageSchema(batchSchema),
    handle: async ({ params, query: { page, limit } }) => {
      const offset = (page - 1) * limit;
      const { rows, total } = await listBatches(deps.db, { discountId: params.id, limit, offset });
      return pageOf(rows.map(toBatchWire), { page, limit, total });
    },
  });
}

function download(deps: ExportCodesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/discounts/:id/codes/batches/:batchId/export',
    access: { permission: 'discounts:write' },
    summary: 'Download the codes of a batch as CSV, once',
    tag,
    params: Type.Object({ id, batchId: id }),
    data: Type.Null(),
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async (call) => {
      const { id: discountId, batchId } = call.params;
      return {
        raw: true,
        status: 200,
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="discount-${discountId}-codes-${batchId}.csv"`,
        },
        body: await exportCodes(deps, { discountId, batchId }, auditActor(call)),
      };
    },
  });
}
