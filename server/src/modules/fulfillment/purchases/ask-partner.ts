import type { Database } from '../../../platform/db/database.ts';
import { inOneStatement } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/log.ts';
import type { OutboundResponse } from '../../../platform/outbound/outbound-client.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import type { Clock } from '../../../platform/time.ts';
import type { OpenPartner } from '../partner-accounts/partner-directory.ts';
import type { PurchaseOrder, PurchaseResult, QueryResult } from '../partners/partner.ts';
import { ANSWER_CONTEXT, insertCall } from './call-store.ts';
import type { PurchaseRow } from './purchase-store.ts';
import { recordCalls } from './recording-client.ts';
import type { Exchange, RecordingClient } from './recording-client.ts';

export interface AskPartnerDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly log: Logger;
  readonly clock: Clock;
}

/**
 * Makes the call that buys. Never throws: when it broke, either nothing that buys had left, which is a definite no, or
 * nobody knows.
 *
 * @param replay the answer of the same call, kept earlier, instead of calling.
 */
export async function buyFromPartner(
  deps: AskPartnerDeps,
  purchase: PurchaseRow,
  { partner, replay }: { partner: OpenPartner; replay?: OutboundResponse | undefined },
): Promise<PurchaseResult> {
  const http = recorderFor(deps, purchase, { partner, replay });
  try {
    return await partner.build(http).purchase(orderOf(purchase));
  } catch (error) {
    const reason = reasonOf(error);
    if (http.mayHaveBought()) return { kind: 'unknown', reason, details: {} };
    return { kind: 'refused', reason: `not asked: ${reason}`, isTransient: true, details: {} };
  }
}

/** Asks what became of the purchase. Never throws; no answer is `unknown`. */
export async function askPartner(
  deps: AskPartnerDeps,
  purchase: PurchaseRow,
  partner: OpenPartner,
): Promise<QueryResult> {
  try {
    const { query } = partner.build(recorderFor(deps, purchase, { partner }));
    if (query) return await query(orderOf(purchase));
    return { kind: 'unknown', reason: 'the partner cannot be asked', details: {} };
  } catch (error) {
    return { kind: 'unknown', reason: reasonOf(error), details: {} };
  }
}

function orderOf({ reference, request, mode }: PurchaseRow): PurchaseOrder {
  const { product, options, input, cost_minor: costMinor } = request;
  return { reference, product, options, mode, input, costMinor };
}

function recorderFor(
  deps: AskPartnerDeps,
  purchase: PurchaseRow,
  { partner, replay }: { partner: OpenPartner; replay?: OutboundResponse | undefined },
): RecordingClient {
  const keep = (exchange: Exchange): Promise<void> => keepExchange(deps, purchase.id, exchange);
  return recordCalls(partner.line, { keep, secrets: partner.secrets, clock: deps.clock, replay });
}

async function keepExchange(
  { db, box, log }: AskPartnerDeps,
  transactionId: number,
  exchange: Exchange,
): Promise<void> {
  const { response } = exchange;
  try {
    await inOneStatement(db, (tx) =>
      insertCall(tx, {
        transaction_id: transactionId,
        method: exchange.method,
        url: exchange.url,
        request_body: exchange.requestBody,
        http_status: response?.status ?? null,
        response_sealed: response ? box.seal(JSON.stringify(response), ANSWER_CONTEXT) : null,
        error: exchange.error,
        took_ms: exchange.tookMs,
        occurred_at: exchange.occurredAt,
      }),
    );
  } catch (error) {
    log.error(
      { err: error, transactionId },
      'the answer of a partner could not be kept; it is acted on all the same',
    );
  }
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 255);
