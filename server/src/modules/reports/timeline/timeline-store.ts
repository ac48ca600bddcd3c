import type { Reader } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

export interface TimelineRow {
  readonly at: Date;
  readonly kind: string;
  readonly title: string;
  readonly admin_id: number | null;
  readonly details: Record<string, unknown>;
}

// One row for everything that ever happened to the order, each table by its index on the order. Secrets are in none
// of these columns: codes stay in the vault, letters are not stored, partners' answers are redacted.
const entries = `
  SELECT occurred_at AS at, 'status' AS kind,
         CASE WHEN from_status IS NULL THEN 'Order created' ELSE from_status || ' → ' || to_status END AS title,
         NULL::bigint AS admin_id, jsonb_build_object('from', from_status, 'to', to_status) AS details
  FROM order_status_changes WHERE order_id = $1
  UNION ALL
  SELECT created_at, 'payment', 'Payment session opened', NULL,
         jsonb_build_object('transactionId', transaction_id, 'method', method, 'amount_minor', amount_minor)
  FROM payments WHERE order_id = $1
  UNION ALL
  SELECT verified_at, 'payment', 'Payment verified', NULL,
         jsonb_build_object('transactionId', transaction_id, 'paysOrder', drives_order)
  FROM payments WHERE order_id = $1 AND verified_at IS NOT NULL
  UNION ALL
  SELECT callback.received_at, 'callback', 'Callback: ' || callback.verdict, NULL,
         jsonb_build_object('gateway', callback.gateway, 'claims', callback.claims, 'seen', callback.seen_count,
                            'last_seen_at', callback.last_seen_at)
  FROM payment_callbacks AS callback JOIN payments ON payments.id = callback.payment_id WHERE payments.order_id = $1
  UNION ALL
  SELECT asked.occurred_at, 'verification', 'Gateway asked: ' || asked.outcome, NULL,
         jsonb_build_object('transactionId', payments.transaction_id, 'asked_by', asked.asked_by,
                            'took_ms', asked.took_ms)
  FROM payment_verifications AS asked JOIN payments ON payments.id = asked.payment_id WHERE payments.order_id = $1
  UNION ALL
  SELECT refund.created_at, 'refund', 'Refund ' || refund.status, refund.requested_by,
         jsonb_build_object('refund_id', refund.id, 'amount_minor', refund.amount_minor, 'reason', refund.reason)
  FROM refunds AS refund JOIN payments ON payments.id = refund.payment_id WHERE payments.order_id = $1
  UNION ALL
  SELECT created_at, 'attempt', type || ': ' || status, admin_id,
         jsonb_build_object('attempt_id', id, 'order_item_id', order_item_id, 'correlation_id', correlation_id,
                            'error_message', error_message, 'notes', notes)
  FROM fulfillment_attempts WHERE order_id = $1
  UNION ALL
  SELECT purchase.created_at, 'purchase', 'Partner purchase: ' || purchase.status, purchase.admin_id,
         jsonb_build_object('partner_api_transaction_id', purchase.id, 'order_item_id', purchase.order_item_id,
                            'unit_no', purchase.unit_no, 'partner_id', purchase.partner_id,
                            'failure_reason', purchase.failure_reason)
  FROM partner_api_transactions AS purchase JOIN order_items AS item ON item.id = purchase.order_item_id
  WHERE item.order_id = $1
  UNION ALL
  SELECT asked.occurred_at, 'partner_call', 'Partner answered ' || COALESCE(asked.http_status::text, 'nothing'), NULL,
         jsonb_build_object('partner_api_transaction_id', asked.transaction_id, 'method', asked.method,
                            'took_ms', asked.took_ms, 'error', asked.error)
  FROM partner_api_calls AS asked
  JOIN partner_api_transactions AS purchase ON purchase.id = asked.transaction_id
  JOIN order_items AS item ON item.id = purchase.order_item_id WHERE item.order_id = $1
  UNION ALL
  SELECT created_at, 'email', 'E-mail written', NULL,
         jsonb_build_object('message_id', message_id, 'recipient', recipient, 'state', state, 'attempts', attempts,
                            'smtp_reply', smtp_reply)
  FROM mail_messages WHERE order_id = $1
  UNION ALL
  SELECT accepted_at, 'email', 'E-mail accepted', NULL,
         jsonb_build_object('message_id', message_id, 'recipient', recipient)
  FROM mail_messages WHERE order_id = $1 AND accepted_at IS NOT NULL
  UNION ALL
  SELECT created_at, 'alert', 'Alert: ' || type, NULL,
         jsonb_build_object('alert_id', id, 'message', message, 'severity', severity)
  FROM admin_alerts WHERE order_id = $1
  UNION ALL
  SELECT resolved_at, 'alert', 'Alert resolved: ' || type, resolved_by,
         jsonb_build_object('alert_id', id, 'resolution_notes', resolution_notes)
  FROM admin_alerts WHERE order_id = $1 AND resolved_at IS NOT NULL
  UNION ALL
  SELECT created_at, 'note', text, admin_id, jsonb_build_object('note_id', id)
  FROM order_notes WHERE order_id = $1
  UNION ALL
  SELECT occurred_at, 'admin', action, admin_id,
         jsonb_strip_nulls(jsonb_build_object('before', before, 'after', after, 'ip', ip))
  FROM audit_logs WHERE resource_type = 'order' AND resource_id = $1::text`;

// An order and its first payment are of one moment; the order comes first.
const list = statement(
  'reports_timeline',
  `SELECT *, count(*) OVER ()::int AS total FROM (${entries}) AS entry
   ORDER BY at, title <> 'Order created', kind LIMIT $2 OFFSET $3`,
);

/** Oldest first. */
export async function listTimeline(
  reader: Reader,
  orderId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: TimelineRow[]; total: number }> {
  const { rows } = await reader.query<TimelineRow & { total: number }>(list, [orderId, limit, offset]);
  return { rows, total: rows[0]?.total ?? 0 };
}
