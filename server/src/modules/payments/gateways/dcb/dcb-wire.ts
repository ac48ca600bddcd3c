import { parseMinor } from '../../../../platform/money.ts';
import { asObject, asReason, ourState, text } from '../gateway-answer.ts';
import type { Answer, StateTable } from '../gateway-answer.ts';
import type { Verification } from '../gateway.ts';
import type { RefundResult } from '../refund.ts';

/** Their `transactionOperationStatus` → ours, in any letter case. The README beside this file shows it. */
export const chargeStates: StateTable = {
  charged: 'confirmed',
  denied: 'refused',
  processing: 'processing',
  pending: 'processing',
  pending_consent: 'processing',
  pending_topup: 'processing',
};

/** `errorCode`s that say what a state does not. */
const OK = '00';
const CANCELLED_BY_USER = 'AOC1004';
const STILL_PROCESSING = 'AOC1008';
const UNKNOWN_CALL = 'AOC0001';

/** The charge is on a Bangladeshi operator's bill; the answer names no currency. */
const CURRENCY = 'BDT';

/** Every answer is wrapped in `data`. */
export function insideOf(answer: Answer): Answer {
  return asObject(answer['data']) ?? {};
}

export function judgeCharge(answer: Answer, aocTransId: string): Verification {
  const charge = insideOf(answer);
  const status = text(charge['transactionOperationStatus']);
  const errorCode = text(charge['errorCode']);
  const details = {
    transactionOperationStatus: status,
    errorCode,
    totalAmountCharged: text(charge['totalAmountCharged']),
  };
  const reason = asReason(text(charge['errorMessage']), errorCode, status);
  if (errorCode === CANCELLED_BY_USER) return { kind: 'cancelled', reason, details };
  if (errorCode === STILL_PROCESSING) return { kind: 'processing', details };
  const kind = ourState(chargeStates, status);
  switch (kind) {
    case 'confirmed': {
      const amountMinor = parseMinor(details.totalAmountCharged);
      if (amountMinor === undefined) return { kind: 'unknown', reason: 'the answer has no amount', details };
      return { kind, amountMinor, currency: CURRENCY, gatewayTransactionId: aocTransId, details };
    }
    case 'processing':
      return { kind, details };
    case 'cancelled':
    case 'refused':
      return { kind, reason, details };
    default:
      return {
        kind: 'unknown',
        reason: asReason(text(charge['errorMessage']), errorCode, 'no status'),
        details,
      };
  }
}

export function judgeRefund(answer: Answer, refundReference: string): RefundResult {
  const refund = insideOf(answer);
  const status = text(refund['transactionOperationStatus']);
  const errorCode = text(refund['errorCode']);
  const details = {
    transactionOperationStatus: status,
    errorCode,
    amountRefunded: text(refund['amountRefunded']),
  };
  const reason = asReason(text(refund['errorMessage']), errorCode, status);
  if (status.toLowerCase() === 'refunded' && errorCode === OK) {
    return {
      kind: 'refunded',
      gatewayRefundId: text(refund['clientCorrelator']) || refundReference,
      details,
    };
  }
  if (errorCode === STILL_PROCESSING || status.toLowerCase() === 'processing')
    return { kind: 'processing', details };
  if (status.toLowerCase() === 'denied') return { kind: 'refused', reason, details };
  return { kind: 'unknown', reason, neverSent: false, details };
}

/** A refund they have never heard of has not happened, and by its reference nobody else can make it. */
export function judgeRefundStatus(answer: Answer, refundReference: string): RefundResult {
  const { errorCode } = insideOf(answer);
  const judged = judgeRefund(answer, refundReference);
  if (judged.kind !== 'unknown' || errorCode !== UNKNOWN_CALL) return judged;
  return { kind: 'refused', reason: 'the gateway knows no such refund', details: judged.details };
}
