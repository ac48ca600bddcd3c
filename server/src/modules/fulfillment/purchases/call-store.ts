import type { Reader, Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

export interface CallRow {
  readonly id: number;
  readonly transaction_id: number;
  readonly method: string;
  readonly url: string;
  readonly request_body: string | null;
  readonly http_status: number | null;
  readonly response_sealed: Buffer | null;
  readonly error: string | null;
  readonly took_ms: number;
  readonly occurred_at: Date;
}

export type NewCall = Omit<CallRow, 'id'>;

/** Where an answer stands, for the secret box. */
export const ANSWER_CONTEXT = 'partner_api_calls.response';

const insert = statement(
  'partner_calls_insert',
  `INSERT INTO partner_api_calls (transaction_id, method, url, request_body, http_status, response_sealed, error,
     took_ms, occurred_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);

const listOf = statement(
  'partner_calls_list_of',
  'SELECT * FROM partner_api_calls WHERE transaction_id = $1 ORDER BY id',
);

// Only reads are GETs: anything else bought, and its last answer says what.
const findBuying = statement(
  'partner_calls_find_buying_answer',
  `SELECT * FROM partner_api_calls
   WHERE transaction_id = $1 AND method <> 'GET' AND http_status IS NOT NULL AND occurred_at >= $2
   ORDER BY id DESC LIMIT 1`,
);

export async function insertCall(tx: Tx, call: NewCall): Promise<void> {
  await tx.query(insert, [
    call.transaction_id,
    call.method,
    call.url,
    call.request_body,
    call.http_status,
    call.response_sealed,
    call.error,
    call.took_ms,
    call.occurred_at,
  ]);
}

export async function listCalls(reader: Reader, transactionId: number): Promise<CallRow[]> {
  return (await reader.query<CallRow>(listOf, [transactionId])).rows;
}

/** The answer to the call that bought, when one was kept and nobody lived to act on it. */
export async function findBuyingAnswer(
  reader: Reader,
  call: { transactionId: number; since: Date },
): Promise<CallRow | undefined> {
  return (await reader.query<CallRow>(findBuying, [call.transactionId, call.since])).rows[0];
}
