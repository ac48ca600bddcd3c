import type { Reader } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

export interface AttemptRow {
  readonly id: number;
  readonly order_item_id: number | null;
  readonly type: string;
  readonly status: string;
  readonly correlation_id: string;
  readonly error_message: string | null;
  readonly notes: string | null;
  readonly voucher_ids: readonly number[];
  readonly created_at: Date;
  readonly admin_id: number | null;
  readonly admin_name: string | null;
  readonly admin_email: string | null;
  readonly purchase_id: number | null;
  readonly purchase_status: string | null;
  readonly purchase_response: Record<string, unknown> | null;
  readonly partner_transaction_id: string | null;
  readonly purchase_voucher_id: number | null;
  readonly purchase_created_at: Date | null;
}

const list = statement(
  'reports_attempts_of_order',
  `SELECT attempt.id, attempt.order_item_id, attempt.type, attempt.status, attempt.correlation_id,
          attempt.error_message, attempt.notes,
          array_to_json(attempt.voucher_ids) AS voucher_ids, attempt.created_at,
          admin.id AS admin_id, admin.name AS admin_name, admin.email AS admin_email,
          purchase.id AS purchase_id, purchase.status AS purchase_status, purchase.response AS purchase_response,
          purchase.partner_transaction_id, purchase.voucher_id AS purchase_voucher_id,
          purchase.created_at AS purchase_created_at
   FROM fulfillment_attempts AS attempt
   LEFT JOIN admins AS admin ON admin.id = attempt.admin_id
   LEFT JOIN partner_api_transactions AS purchase ON purchase.id = attempt.partner_api_transaction_id
   WHERE attempt.order_id = $1
   ORDER BY attempt.id DESC LIMIT $2 OFFSET $3`,
);
const count = statement(
  'reports_count_attempts_of_order',
  'SELECT count(*)::int AS total FROM fulfillment_attempts WHERE order_id = $1',
);

/** Newest first. */
export async function listAttemptsOfOrder(
  reader: Reader,
  orderId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: AttemptRow[]; total: number }> {
  const [rows, counted] = await Promise.all([
    reader.query<AttemptRow>(list, [orderId, limit, offset]),
    reader.query<{ total: number }>(count, [orderId]),
  ]);
  return { rows: rows.rows, total: counted.rows[0]?.total ?? 0 };
}
