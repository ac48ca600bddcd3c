import type { Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';

export type AttemptType = 'AUTO' | 'MANUAL_CODE_INPUT' | 'PARTNER_RETRY' | 'RESEND_EMAIL';
export type AttemptStatus = 'DISPATCHED' | 'DISPATCH_FAILED' | 'PARTNER_FAILED' | 'FAILED' | 'SUCCESS';

export interface NewAttempt {
  readonly order_id: number;
  readonly order_item_id: number | null;
  readonly type: AttemptType;
  readonly status: AttemptStatus;
  readonly correlation_id: string;
  readonly error_message: string | null;
}

const insert = statement(
  'fulfillment_attempts_insert',
  `INSERT INTO fulfillment_attempts (order_id, order_item_id, type, status, correlation_id, error_message)
   SELECT order_id, order_item_id, type, status, correlation_id, error_message
   FROM jsonb_to_recordset($1::jsonb) AS attempt(
     order_id bigint, order_item_id bigint, type text, status text, correlation_id uuid, error_message text)`,
);

export async function insertAttempts(tx: Tx, attempts: readonly NewAttempt[]): Promise<void> {
  if (attempts.length > 0) await tx.query(insert, [JSON.stringify(attempts)]);
}
