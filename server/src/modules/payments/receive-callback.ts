import { createHash } from 'node:crypto';

import type { Database } from '../../platform/db/database.ts';
import { inOneStatement } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/log.ts';
import { insertCallback } from './callback-store.ts';
import type { StoredCallback } from './callback-store.ts';
import type { CallbackFields, CallbackReading, Gateway } from './gateways/gateway.ts';
import type { PaymentStatusRow } from './payment-store.ts';
import type { Settled } from './settle-payment.ts';
import { CLAIM_SECONDS, verifyPayment } from './verify-payment.ts';
import type { VerifyPaymentDeps } from './verify-payment.ts';

export interface ReceiveCallbackDeps extends VerifyPaymentDeps {
  readonly db: Database;
  readonly log: Logger;
}

export interface ReceivedCallback {
  readonly verdict: StoredCallback['verdict'];
  readonly transactionId: string | null;
  /** As it now is, where this callback made it so. */
  readonly status?: PaymentStatusRow | undefined;
}

/**
 * Takes what a gateway (or anybody) sends to a callback address: stores it, and if it names a payment of ours, asks
 * the gateway itself what is true. Never throws for anything the sender did (interface part 4, decisions 4.10).
 */
export async function receiveCallback(
  deps: ReceiveCallbackDeps,
  callback: { gateway: Gateway; fields: CallbackFields; sourceIp: string },
): Promise<ReceivedCallback> {
  const { gateway, fields, sourceIp } = callback;
  const reading = gateway.readCallback(fields);
  const arrived = {
    gateway: gateway.name,
    contentDigest: digestOf(fields),
    payload: redact(fields),
    ...namesIn(reading),
    claims: reading.kind === 'read' ? reading.claims : null,
    verdictIfKnown: verdictOn(reading),
    sourceIp,
  };
  const stored = await inOneStatement(deps.db, (tx) => insertCallback(tx, arrived, CLAIM_SECONDS));
  const received = { verdict: stored.verdict, transactionId: stored.named_transaction_id };
  if (stored.verdict !== 'accepted' || stored.payment_id === null || reading.kind !== 'read') {
    deps.log.warn({ gateway: gateway.name, verdict: stored.verdict }, 'callback stored, nothing changed');
    return received;
  }
  const { payment_id: paymentId, claimed } = stored;
  // The same callback again changes nothing: it answers the state as it is.
  const isRepeated = stored.seen_count > 1 && stored.payment_status !== 'PENDING';
  if (!claimed && (stored.payment_status === 'SUCCEEDED' || isRepeated)) return received;
  const { claims, evidence } = reading;
  try {
    const question = { paymentId, askedBy: 'callback', claims, evidence, claimed } as const;
    return { ...received, status: statusOf(await verifyPayment(deps, question)) };
  } catch (error) {
    // It is stored, and the sweep asks: whoever called gets the state as it is, never a 5xx.
    deps.log.error({ err: error, paymentId }, 'a callback could not be acted on');
    return received;
  }
}

function statusOf({ payment, order }: Settled): PaymentStatusRow | undefined {
  if (!order) return undefined;
  const { transaction_id, status, created_at, order_id } = payment;
  const { order_number, status: order_status, paid_at } = order;
  return { transaction_id, status, created_at, order_id, order_number, order_status, paid_at };
}

function verdictOn(reading: CallbackReading): 'accepted' | 'bad_signature' | 'unreadable' {
  if (reading.kind === 'unreadable') return 'unreadable';
  return reading.signature === 'wrong' ? 'bad_signature' : 'accepted';
}

function namesIn(reading: CallbackReading): { reference: string | null; sessionId: string | null } {
  if (reading.kind === 'unreadable') return { reference: null, sessionId: null };
  const { names } = reading;
  return {
    reference: 'reference' in names ? withoutNul(names.reference) : null,
    sessionId: 'sessionId' in names ? withoutNul(names.sessionId) : null,
  };
}

function digestOf(fields: CallbackFields): Buffer {
  const sorted = Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest();
}

const SECRET_FIELDS = /pass|secret|token|otp|\bpin\b|card_no|signature|verify_sign/i;
const MAX_STORED_FIELDS = 100;
const MAX_STORED_LENGTH = 1000;

/** What is kept of a callback: enough to understand it later, no secret, and bounded whatever was sent. */
function redact(fields: CallbackFields): Record<string, string> {
  const kept = Object.entries(fields).slice(0, MAX_STORED_FIELDS);
  return Object.fromEntries(
    kept.map(([name, value]) => [
      withoutNul(name).slice(0, 100),
      SECRET_FIELDS.test(name) ? '[redacted]' : withoutNul(value).slice(0, MAX_STORED_LENGTH),
    ]),
  );
}

/** PostgreSQL holds neither U+0000 nor half a surrogate pair. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();
