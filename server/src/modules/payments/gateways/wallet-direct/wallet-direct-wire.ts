import { parseMinor } from '../../../../platform/money.ts';
import { asReason, ourState, text } from '../gateway-answer.ts';
import type { Answer, StateTable } from '../gateway-answer.ts';
import type { CallbackClaim, CallbackFields, PaymentToVerify, Verification } from '../gateway.ts';
import type { RefundQuestion, RefundResult } from '../refund.ts';

/** Their `status` → ours, in any letter case. The README beside this file shows it. */
export const paymentStates: StateTable = {
  success: 'confirmed',
  failed: 'refused',
  aborted: 'cancelled',
  cancelled: 'cancelled',
  initiated: 'processing',
  ready: 'processing',
  pending: 'processing',
};

/** A payment says Success with this code and no other. */
const SUCCESS_CODE = '000';
/** Nagad deals in taka only (its code 050) and names no currency in the proof. */
const CURRENCY = 'BDT';

/** The amount is echoed whatever the status, so the status comes first. */
export function judgePayment(answer: Answer, payment: PaymentToVerify, merchantId: string): Verification {
  const status = text(answer['status']);
  const details = {
    status,
    statusCode: text(answer['statusCode']),
    amount: text(answer['amount']),
    issuerPaymentRefNo: text(answer['issuerPaymentRefNo']),
  };
  const kind = ourState(paymentStates, status);
  switch (kind) {
    case 'confirmed': {
      if (!isAbout(answer, payment, merchantId)) {
        return { kind: 'refused', reason: 'the answer is about another payment', details };
      }
      const amountMinor = parseMinor(details.amount);
      if (amountMinor === undefined) return { kind: 'unknown', reason: 'the answer has no amount', details };
      if (details.statusCode !== SUCCESS_CODE) {
        return { kind: 'unknown', reason: `Success with code ${details.statusCode}`, details };
      }
      const gatewayTransactionId = details.issuerPaymentRefNo || text(answer['paymentRefId']);
      return { kind, amountMinor, currency: CURRENCY, gatewayTransactionId, details };
    }
    case 'processing':
      return { kind, details };
    case 'cancelled':
    case 'refused':
      return { kind, reason: asReason(status), details };
    default:
      return {
        kind: 'unknown',
        reason: asReason(text(answer['message']), `unknown status ${status}`),
        details,
      };
  }
}

function isAbout(answer: Answer, payment: PaymentToVerify, merchantId: string): boolean {
  return (
    text(answer['merchantId']) === merchantId &&
    text(answer['orderId']) === payment.gatewayReference &&
    text(answer['paymentRefId']) === payment.session['paymentReferenceId']
  );
}

const claims: Readonly<Record<string, CallbackClaim>> = {
  confirmed: 'success',
  cancelled: 'cancel',
  refused: 'failure',
};

export function claimIn(fields: CallbackFields): CallbackClaim {
  return claims[ourState(paymentStates, fields['status'] ?? '') ?? ''] ?? 'unclear';
}

/**
 * The proof of a payment names its last cancellation, by an id of theirs: one that is no other refund's is ours.
 * At most one refund of a payment is under way at a time, so there is no third to confuse it with.
 */
export function judgeCancellation(answer: Answer, question: RefundQuestion): RefundResult {
  const cancelIssuerRefNo = text(answer['cancelIssuerRefNo']);
  const details = { status: text(answer['status']), cancelIssuerRefNo };
  if (text(answer['orderId']) !== question.payment.gatewayReference) {
    return { kind: 'unknown', reason: 'the answer is about another payment', neverSent: false, details };
  }
  if (cancelIssuerRefNo && !question.otherRefundIds.includes(cancelIssuerRefNo)) {
    return { kind: 'refunded', gatewayRefundId: cancelIssuerRefNo, details };
  }
  return { kind: 'refused', reason: 'the gateway knows no such cancellation', details };
}

/** Present day and time in Dhaka as `yyyyMMddHHmmss`: a clock set to UTC is refused. */
export function dhakaTimestamp(at: Date): string {
  return dhakaClock.format(at).replaceAll(/\D/g, '');
}

const dhakaClock = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Asia/Dhaka',
  dateStyle: 'short',
  timeStyle: 'medium',
});
