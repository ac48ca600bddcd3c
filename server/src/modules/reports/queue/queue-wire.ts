import { Type } from 'typebox';
import type { Static } from 'typebox';

import { toWireAmount } from '../../../platform/money.ts';
import { adminUserSchema } from '../orders/attempt-wire.ts';
import { customerSchema } from '../orders/order-list-wire.ts';
import { diagnose, urgencyOf } from './queue-rules.ts';
import type { QueuedItemRow, QueuedOrderRow } from './queue-store.ts';

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const timestamp = Type.String({ format: 'date-time' });

export const queuedOrderSchema = Type.Object({
  id: Type.Integer(),
  order_number: Type.String(),
  status: Type.String(),
  total_amount: Type.Number(),
  customer: customerSchema,
  delivery_email: nullable(Type.String()),
  paid_at: timestamp,
  needs_attention_since: timestamp,
  age_seconds: Type.Integer({ description: 'Since it needs attention' }),
  urgency: Type.String({ description: 'new, waiting (15 minutes) or overdue (an hour)' }),
  cause: Type.String({
    description:
      'partner_result_unknown, email_failed, in_stock_again, out_of_stock, no_partner_source, partner_failed, ' +
      'asked_by_operator or not_fulfilled',
  }),
  reason: nullable(Type.String({ description: 'What the last attempt or the alert says' })),
  suggested_action: Type.Object({
    action: Type.String({ description: 'requery_partner, resend_email, partner_retry or manual_codes' }),
    advice: Type.String(),
  }),
  owner: nullable(adminUserSchema),
  alert_id: nullable(Type.Integer()),
  open_items: Type.Array(
    Type.Object({
      orderItemId: Type.Integer(),
      variant_id: Type.Integer(),
      product_name: Type.String(),
      variant_name: Type.String(),
      quantity: Type.Integer(),
      codes_stored: Type.Integer(),
      fulfillment_status: Type.String(),
      last_error: nullable(Type.String()),
    }),
  ),
});

export function toQueuedOrderWire(
  row: QueuedOrderRow,
  items: readonly QueuedItemRow[],
  now: Date,
): Static<typeof queuedOrderSchema> {
  const { cause, action, advice } = diagnose(items);
  const ageSeconds = Math.max(0, Math.floor((now.getTime() - row.since.getTime()) / 1000));
  const open = items.filter((item) => !item.fulfilled);
  return {
    id: row.id,
    order_number: row.order_number,
    status: 'NEEDS_ATTENTION',
    total_amount: toWireAmount(row.total_minor),
    customer: {
      id: row.customer_id,
      name: row.customer_name,
      msisdn: row.customer_msisdn,
      email: row.customer_email,
    },
    delivery_email: row.delivery_email,
    paid_at: row.paid_at.toISOString(),
    needs_attention_since: row.since.toISOString(),
    age_seconds: ageSeconds,
    urgency: urgencyOf(ageSeconds),
    cause,
    reason: open.find((item) => item.lastError !== null)?.lastError ?? row.alert_message,
    suggested_action: { action, advice },
    owner: ownerOf(row),
    alert_id: row.alert_id,
    open_items: open.map((item) => ({
      orderItemId: item.itemId,
      variant_id: item.variantId,
      product_name: item.productName,
      variant_name: item.variantName,
      quantity: item.quantity,
      codes_stored: item.codes,
      fulfillment_status: item.status,
      last_error: item.lastError,
    })),
  };
}

function ownerOf({ owner_id: id, owner_name: name, owner_email: email }: QueuedOrderRow) {
  return id === null ? null : { id, name: name ?? '', email: email ?? '' };
}
