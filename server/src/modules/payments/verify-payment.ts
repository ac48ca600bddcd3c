import { setTimeout as wait } from 'node:timers/promises';

import type { Database, Tx } from '../../platform/db/database.ts';
import { commitWith, inOneStatement, inTransaction, violatedConstraint } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/log.ts';
import { secondsAfter } from '../../platform/time.ts';
import type { Clock } from '../../platform/time.ts';
import { HandOverError } from './ask-for-delivery.ts';
import { claimCapture, followCapture } from './captures/claim-capture.ts';
import type { CallbackClaim, Gateway, PaymentToVerify, Verification } from './gateways/gateway.ts';
import type { Gateways } from './gateways/registry.ts';
import { claimVerification, findPayment, freeVerification, insertVerification } from './payment-store.ts';
import type { ClaimedPayment, PaymentRow } from './payment-store.ts';
import { settlePayment } from './settle-payment.ts';
import type { Settled, SettlePaymentDeps } from './settle-payment.ts';

export interface VerifyPaymentDeps extends SettlePaymentDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly gateways: Gateways;
}

export interface VerifyRequest {
  readonly paymentId: number;
  readonly askedBy: 'callback' | 'sweep' | 'confirm' | 'expiry' | 'customer' | 'operator';
  readonly claims?: CallbackClaim;
  readonly evidence?: Readonly<Record<string, string>>;
  /** The payment, when the caller has claimed its verification already. */
  readonly claimed?: ClaimedPayment | undefined;
}

/** Longer than the slowest verification: a process that died with the claim blocks nobody for longer. */
export const CLAIM_SECONDS = 45;
const MIN_INTERVAL_SECONDS = 2;
const PATIENCE_MS = 12_000;

/**
 * Asks the gateway what became of a payment and applies the answer. However many ask at once, on however many
 * processes, one question is under way per payment, and at most one starts every two seconds; the others wait for it.
 *
 * @returns the payment as it then is, and its order where this changed it.
 */
export async function verifyPayment(deps: VerifyPaymentDeps, request: VerifyRequest): Promise<Settled> {
  if (request.claimed) return verifyClaimed(deps, request, request.claimed);
  const patientUntil = Date.now() + PATIENCE_MS;
  for (;;) {
    const claimed = await inOneStatement(deps.db, (tx) =>
      claimVerification(tx, request.paymentId, CLAIM_SECONDS),
    );
    if (claimed) return verifyClaimed(deps, request, claimed);
    const payment = await findPayment(deps.db, request.paymentId);
    if (!payment) throw new Error(`There is no payment ${request.paymentId}`);
    if (payment.status === 'SUCCEEDED') {
      deps.log.info({ paymentId: payment.id, askedBy: request.askedBy }, 'payment is verified already');
      return { payment };
    }
    const busyMs = (payment.verifying_until?.getTime() ?? 0) - Date.now();
    const isFresh = busyMs <= MIN_INTERVAL_SECONDS * 1000;
    if ((isFresh && isContent(request, payment)) || Date.now() >= patientUntil) return { payment };
    await wait(Math.min(Math.max(busyMs, 20), 150));
  }
}

/** Whether the answer of a moment ago will do: for whoever claims nothing, or nothing that it has not told already. */
function isContent({ claims }: VerifyRequest, { status }: PaymentRow): boolean {
  if (claims === undefined) return true;
  return claims === 'cancel' ? status !== 'PENDING' : claims === 'failure' && status === 'FAILED';
}

async function verifyClaimed(
  deps: VerifyPaymentDeps,
  request: VerifyRequest,
  payment: ClaimedPayment,
): Promise<Settled> {
  const startedAt = deps.clock.now();
  const notBefore = secondsAfter(startedAt, MIN_INTERVAL_SECONDS);
  try {
    const asked = await askGateway(deps, payment, request);
    const tookMs = deps.clock.now().getTime() - startedAt.getTime();
    return await applyAnswer(deps, request, { payment, ...asked, tookMs, notBefore });
  } catch (error) {
    await inOneStatement(deps.db, (tx) => freeVerification(tx, payment.id, notBefore));
    throw error;
  }
}

interface GatewayAnswer {
  readonly payment: PaymentRow;
  readonly verification: Verification;
  /** Whether it has, or had before, the right to take its order's money. */
  readonly holdsCapture: boolean;
  readonly tookMs: number;
  readonly notBefore: Date;
}

async function applyAnswer(
  deps: VerifyPaymentDeps,
  request: VerifyRequest,
  answer: GatewayAnswer,
): Promise<Settled> {
  const { payment, verification } = answer;
  try {
    return await inTransaction(deps.db, (tx) => settleAnswer(deps, tx, { ...answer, request }));
  } catch (error) {
    if (error instanceof HandOverError) {
      // Money counts whatever is wrong with the delivery, which is a job of its own then.
      deps.log.error({ err: error, paymentId: payment.id }, 'a paid order could not be handed over at once');
      return applyAnswer({ ...deps, prepareHandOver: undefined }, request, answer);
    }
    if (violatedConstraint(error) !== 'payments__one_capture') throw error;
    // One movement of money cannot pay twice: a gateway that answers with another payment's capture is not believed.
    deps.log.error(
      { paymentId: payment.id },
      'the gateway answered with a capture that paid another payment',
    );
    const refused: Verification = {
      kind: 'refused',
      reason: 'capture belongs to another payment',
      details: verification.details,
    };
    return applyAnswer(deps, request, { ...answer, verification: refused, holdsCapture: false });
  }
}

async function settleAnswer(
  deps: VerifyPaymentDeps,
  tx: Tx,
  answer: GatewayAnswer & { readonly request: VerifyRequest },
): Promise<Settled> {
  const { payment, verification, holdsCapture, tookMs, notBefore, request } = answer;
  const { kind: outcome, details } = verification;
  const { id: paymentId, order_id: orderId } = payment;
  const settled = await settlePayment(tx, deps, {
    paymentId,
    orderId,
    verification,
    claims: request.claims,
    isScheduled: request.askedBy === 'sweep',
    record: () =>
      Promise.all([
        insertVerification(tx, { paymentId, askedBy: request.askedBy, outcome, details, tookMs }),
        ...(holdsCapture ? [followCapture(tx, paymentId, verification)] : []),
      ]),
  });
  // A payment that has SUCCEEDED is never verified again.
  if (settled.payment.status !== 'SUCCEEDED')
    await commitWith(tx, () => freeVerification(tx, paymentId, notBefore));
  return settled;
}

/**
 * One retry when the gateway cannot be asked, and the gateway's own number when it is still processing; a sweep, which
 * comes back anyway, waits for no such retry.
 */
async function askGateway(
  deps: VerifyPaymentDeps,
  payment: ClaimedPayment,
  request: VerifyRequest,
): Promise<Pick<GatewayAnswer, 'verification' | 'holdsCapture'>> {
  const gateway = deps.gateways.named(payment.gateway);
  let holdsCapture = payment.holds_capture;
  const { id: paymentId, order_id: orderId } = payment;
  const question: PaymentToVerify = {
    gatewayReference: payment.gateway_reference,
    session: payment.gateway_session,
    amountMinor: payment.amount_minor,
    currency: payment.currency,
    evidence: request.evidence ?? {},
    claimCapture: async () => {
      const isClaimed = await claimCapture(deps.db, { paymentId, orderId, claims: request.claims });
      if (isClaimed) holdsCapture = true;
      else deps.log.info({ paymentId, orderId }, 'its money is not taken: not this session pays the order');
      return isClaimed;
    },
    isRepeat: false,
  };
  const again = { ...question, isRepeat: true };
  let answer = await askOnce(gateway, question);
  if (answer.kind === 'unknown') answer = await askOnce(gateway, again);
  const isSweep = request.askedBy === 'sweep' || request.askedBy === 'expiry';
  const retries = isSweep ? 0 : gateway.retryProcessing.times;
  for (let retry = 0; answer.kind === 'processing' && retry < retries; retry += 1) {
    await wait(gateway.retryProcessing.afterMs);
    answer = await askOnce(gateway, again);
  }
  return { verification: answer, holdsCapture };
}

async function askOnce(gateway: Gateway, question: PaymentToVerify): Promise<Verification> {
  try {
    return await gateway.verify(question);
  } catch (error) {
    return { kind: 'unknown', reason: (error as Error).message, details: {} };
  }
}
