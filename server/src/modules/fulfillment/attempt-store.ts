import type { Reader, Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';

export type AttemptType = 'AUTO' | 'MANUAL_CODE_INPUT' | 'PARTNER_RETRY' | 'RESEND_EMAIL';
export type AttemptStatus = 'DISPATCHED' | 'DISPATCH_FAILED' | 'PARTNER_FAILED' | 'FAILED' | 'SUCCESS';

export interface NewAttempt {
  readonly order_id: number;
  /** Null when it was about the whole order. */
  readonly order_item_id: number | null;
  readonly type: AttemptType;
  readonly status: AttemptStatus;
  readonly correlation_id: string;
  readonly error_message: string | null;
  readonly notes?: string | null;
  /** The operator; nobody when the service tried by itself. */
  readonly admin_id?: number;
  /** The stored codes it brought, in the order of the item's units. */
  readonly voucher_ids?: readonly number[];
}

const insert = statement(
  'fulfillment_attempts_insert',
  `INSERT INTO fulfillment_attempts (order_id, order_item_id, type, status, correlation_id, error_message, notes,
                                     admin_id, voucher_ids, partner_api_transaction_id)
   SELECT order_id, order_item_id, type, status, correlation_id, error_message, notes, admin_id,
          COALESCE(voucher_ids, '{}'),
          (SELECT max(id) FROM partner_api_transactions AS purchase
           WHERE purchase.order_item_id = attempt.order_item_id AND attempt.type IN ('AUTO', 'PARTNER_RETRY'))
   FROM jsonb_to_recordset($1::jsonb) AS attempt(
     order_id bigint, order_item_id bigint, type text, status text, correlation_id uuid, error_message text,
     notes text, admin_id bigint, voucher_ids bigint[])
   RETURNING id, order_item_id`,
);

/** @returns the new ids, each with its item. */
export async function insertAttempts(
  tx: Tx,
  attempts: readonly NewAttempt[],
): Promise<{ id: number; order_item_id: number | null }[]> {
  if (attempts.length === 0) return [];
  return (await tx.query<{ id: number; order_item_id: number | null }>(insert, [JSON.stringify(attempts)]))
    .rows;
}

const dispatchedItems = statement(
  'fulfillment_attempts_dispatched_items',
  `SELECT DISTINCT order_item_id FROM fulfillment_attempts
   WHERE order_item_id = ANY ($1) AND status = 'DISPATCHED'`,
);

/** Items whose codes an operator's attempt has sent already. */
export async function listDispatchedItems(reader: Reader, itemIds: readonly number[]): Promise<number[]> {
  const { rows } = await reader.query<{ order_item_id: number }>(dispatchedItems, [itemIds]);
  return rows.map((row) => row.order_item_id);
}

export interface FailureRow {
  readonly order_item_id: number;
  readonly error_message: string | null;
  readonly correlation_id: string;
}

const lastFailures = statement(
  'fulfillment_attempts_last_failures',
  `SELECT DISTINCT ON (order_item_id) order_item_id, error_message, correlation_id FROM fulfillment_attempts
   WHERE order_item_id = ANY ($1) AND status IN ('FAILED', 'PARTNER_FAILED', 'DISPATCH_FAILED')
   ORDER BY order_item_id, id DESC`,
);

/** Why these items failed last. */
export async function listLastFailures(reader: Reader, itemIds: readonly number[]): Promise<FailureRow[]> {
  return (await reader.query<FailureRow>(lastFailures, [itemIds])).rows;
}
