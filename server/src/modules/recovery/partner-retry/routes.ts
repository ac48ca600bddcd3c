import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { AppError } from '../../../platform/errors.ts';
import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { notesField } from '../recovery-wire.ts';
import { bulkRetry } from './bulk-retry.ts';
import { retryWithPartner } from './retry-with-partner.ts';
import type { ItemRetry, PartnerRetryDeps } from './retry-with-partner.ts';

const tag = 'Fulfillment recovery';
const recover = { permission: 'orders:recover' } as const;
const nullableText = Type.Union([Type.String(), Type.Null()]);

const retrySchema = Type.Object({
  status: Type.String({ description: 'DISPATCHED; DISPATCH_FAILED or PARTNER_FAILED with `success` false' }),
  attemptId: Type.Integer(),
  correlationId: Type.String(),
  emailSent: Type.Boolean(),
  errorMessage: nullableText,
});

const itemRetrySchema = Type.Object({
  orderItemId: Type.Integer(),
  status: Type.String({ description: 'As above, or UNCLEAR: an earlier purchase has no answer yet' }),
  attemptId: Type.Union([Type.Integer(), Type.Null()]),
  emailSent: Type.Boolean(),
  errorMessage: nullableText,
});

export function partnerRetryRoutes(deps: PartnerRetryDeps): Endpoint[] {
  return [retryRoute(deps), bulkRoute(deps)];
}

function retryRoute(deps: PartnerRetryDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/orders/:id/fulfillment/partner-retry',
    access: recover,
    summary: 'Buy what an item lacks, from its sources in turn or from one of them',
    description:
      'The stock is asked first unless a source is named. Refused with 409 while an earlier purchase of the item is ' +
      'unclear: nothing is ever bought twice. A partner’s no is HTTP 200 with `success` false.',
    tag,
    params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
    body: Type.Object({
      orderItemId: Type.Integer({ minimum: 1 }),
      partnerSourceId: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
      notes: notesField,
    }),
    data: retrySchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async (call) => {
      const { params, body, caller } = call;
      const outcome = await retryWithPartner(deps, {
        orderId: params.id,
        adminId: caller.adminId,
        actor: auditActor(call),
        notes: body.notes ?? null,
        itemIds: [body.orderItemId],
        partnerSourceId: body.partnerSourceId ?? undefined,
      });
      const [item] = outcome.items;
      if (!item) throw new Error(`Item ${body.orderItemId} has no result`);
      return retryAnswer(item, outcome.correlationId);
    },
  });
}

function retryAnswer(item: ItemRetry, correlationId: string) {
  const { status, attemptId, emailSent, errorMessage } = item;
  if (attemptId === null) {
    throw new AppError('CONFLICT', errorMessage ?? 'An earlier purchase is unclear', {
      data: { type: 'PurchaseUnclear' },
    });
  }
  const success = status === 'DISPATCHED';
  const message = success ? 'Delivered to customer' : (errorMessage ?? 'Not delivered');
  return answer({ status, attemptId, correlationId, emailSent, errorMessage }, { success, message });
}

function bulkRoute(deps: PartnerRetryDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/fulfillment/bulk-retry',
    access: recover,
    summary: 'Retry up to 100 orders: stock, partners, e-mail; a result for each',
    tag,
    body: Type.Object({
      orderIds: Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: 100 }),
      notes: notesField,
    }),
    data: Type.Object({
      total: Type.Integer(),
      succeeded: Type.Integer(),
      failed: Type.Integer(),
      results: Type.Array(
        Type.Object({
          orderId: Type.Integer(),
          success: Type.Boolean(),
          orderStatus: nullableText,
          items: Type.Array(itemRetrySchema),
          errorCode: nullableText,
          errorMessage: nullableText,
        }),
      ),
    }),
    handle: async (call) => {
      const { orderIds, notes } = call.body;
      const results = await bulkRetry(deps, { orderIds, notes: notes ?? null, actor: auditActor(call) });
      const succeeded = results.filter((result) => result.success).length;
      const total = results.length;
      const data = {
        total,
        succeeded,
        failed: total - succeeded,
        results: results.map((result) => ({ ...result, items: [...result.items] })),
      };
      return answer(data, { message: `${succeeded} of ${total} order(s) delivered` });
    },
  });
}
