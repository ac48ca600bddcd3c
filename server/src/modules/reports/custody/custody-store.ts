import type { Reader } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

export interface CustodyRow {
  readonly at: Date;
  readonly kind: string;
  readonly admin_id: number | null;
  readonly details: Record<string, unknown>;
}

// Everybody who had the code in their hands or before their eyes, from the tables that know it anyway: a chain that is
// put together cannot forget what a chain that is written along might.
const chain = statement(
  'reports_custody',
  `WITH voucher AS (
     SELECT voucher.id, voucher.batch_id, voucher.source_type, voucher.partner_id, voucher.created_at,
            voucher.assigned_at, voucher.voided_at, voucher.void_reason, voucher.order_item_id, item.order_id
     FROM vouchers AS voucher LEFT JOIN order_items AS item ON item.id = voucher.order_item_id WHERE voucher.id = $1
   )
   SELECT created_at AS at, 'stored' AS kind, batch.uploaded_by AS admin_id,
          jsonb_build_object('source_type', source_type, 'batch_id', batch_id, 'partner_id', partner_id,
                             'supplier', batch.supplier) AS details
   FROM voucher LEFT JOIN LATERAL (
     SELECT uploaded_by, supplier FROM voucher_batches WHERE id = voucher.batch_id) AS batch ON true
   UNION ALL
   SELECT voucher.assigned_at, 'assigned', NULL, jsonb_build_object('order_id', order_id, 'orderItemId', order_item_id)
   FROM voucher WHERE voucher.assigned_at IS NOT NULL
   UNION ALL
   SELECT attempt.created_at, 'entered', attempt.admin_id,
          jsonb_build_object('attempt_id', attempt.id, 'type', attempt.type, 'status', attempt.status)
   FROM voucher JOIN fulfillment_attempts AS attempt
     ON attempt.order_id = voucher.order_id AND voucher.id = ANY (attempt.voucher_ids)
   UNION ALL
   SELECT letter.accepted_at, 'e-mailed', NULL, jsonb_build_object('recipient', letter.recipient, 'kind', letter.kind)
   FROM voucher JOIN mail_messages AS letter ON letter.order_id = voucher.order_id
   WHERE letter.accepted_at >= voucher.assigned_at
   UNION ALL
   SELECT entry.occurred_at, 'revealed', entry.admin_id, jsonb_build_object('reason', entry.after ->> 'reason', 'ip', entry.ip)
   FROM voucher JOIN audit_logs AS entry
     ON entry.resource_type = 'voucher' AND entry.resource_id = voucher.id::text AND entry.action = 'vouchers:reveal'
   UNION ALL
   SELECT entry.occurred_at, 'read', entry.admin_id, jsonb_build_object('order_id', voucher.order_id, 'ip', entry.ip)
   FROM voucher JOIN audit_logs AS entry
     ON entry.resource_type = 'order' AND entry.resource_id = voucher.order_id::text
     AND entry.action = 'vouchers:read_plain' AND entry.after -> 'voucher_ids' @> to_jsonb(voucher.id)
   UNION ALL
   SELECT entry.occurred_at, 'changed', entry.admin_id, jsonb_build_object('before', entry.before, 'after', entry.after)
   FROM voucher JOIN audit_logs AS entry
     ON entry.resource_type = 'voucher' AND entry.resource_id = voucher.id::text AND entry.action = 'vouchers:change'
   UNION ALL
   SELECT voided_at, 'voided', NULL, jsonb_build_object('reason', void_reason)
   FROM voucher WHERE voided_at IS NOT NULL
   ORDER BY at`,
);

/** Oldest first; empty for an unknown voucher. */
export async function listCustody(reader: Reader, voucherId: number): Promise<CustodyRow[]> {
  return (await reader.query<CustodyRow>(chain, [voucherId])).rows;
}
