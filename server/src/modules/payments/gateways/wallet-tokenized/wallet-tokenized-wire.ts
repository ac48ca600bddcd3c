import { parseMinor } from '../../../../platform/money.ts';
import { asObject, asReason, ourState, text } from '../gateway-answer.ts';
import type { Answer, StateTable } from '../gateway-answer.ts';
import type { CallbackClaim, CallbackFields, PaymentToVerify, Verification } from '../gateway.ts';
import type { RefundQuestion, RefundResult } from '../refund.ts';

/** Their `transactionStatus` → ours: only Completed is money (interface part 4, callback rule 3). See the README. */
export const transactionStates: StateTable = {
  completed: 'confirmed',
  initiated: 'processing',
  pending: 'processing',
  'pending authorized': 'processing',
  authorized: 'processing',
  cancelled: 'cancelled',
  declined: 'refused',
  expired: 'refused',
};

/** `statusCode`s by which an execution is refused for good. All others, 2062 and 2117 among them, are asked about. */
export const refusalCodes: ReadonlySet<string> = new Set([
  '2002', // no such payment
  '2006',
  '2007',
  '2009',
  '2014', // wrong PIN
  '2015',
  '2023', // insufficient balance
  '2029', // same payer and amount a moment ago
  '2037',
  '2038',
  '2039',
  '2040',
  '2041',
  '2045',
  '2057',
  '2058',
  '2069', // cancelled already
]);

export const OK = '0000';
/** The customer has not come as far as the PIN. */
const NOT_YET = '2056';

/** Text of whichever of their four error envelopes it is. */
export function problemIn(answer: Answer): string {
  const code = text(answer['statusCode']) || text(answer['errorCode']) || text(answer['externalCode']);
  const words =
    text(answer['statusMessage']) ||
    text(answer['errorMessage']) ||
    text(answer['errorMessageEn']) ||
    text(answer['message']) ||
    text(answer['msg']);
  return asReason(`${code} ${words}`);
}

/** An executed or queried payment. A business error is HTTP 200 without a `transactionStatus`. */
export function judgePayment(answer: Answer, payment: PaymentToVerify): Verification {
  const code = text(answer['statusCode']);
  const status = text(answer['transactionStatus']);
  const details = {
    statusCode: code,
    transactionStatus: status,
    trxID: text(answer['trxID']),
    amount: text(answer['amount']),
    currency: text(answer['currency']),
  };
  if (refusalCodes.has(code)) return { kind: 'refused', reason: problemIn(answer), details };
  if (code === NOT_YET) return { kind: 'processing', isUntouched: true, details };
  const kind = code === OK ? ourState(transactionStates, status) : undefined;
  switch (kind) {
    case 'confirmed': {
      if (!isAbout(answer, payment))
        return { kind: 'refused', reason: 'the answer is about another payment', details };
      const amountMinor = parseMinor(details.amount);
      if (amountMinor === undefined) return { kind: 'unknown', reason: 'the answer has no amount', details };
      const gatewayTransactionId = details.trxID || text(answer['paymentID']);
      return { kind, amountMinor, currency: details.currency, gatewayTransactionId, details };
    }
    case 'processing':
      return { kind, isUntouched: lacksConsent(answer), details };
    case 'cancelled':
    case 'refused':
      return { kind, reason: asReason(status), details };
    default:
      return { kind: 'unknown', reason: problemIn(answer), details };
  }
}

/** Execute says `merchantInvoiceNumber`, query says `merchantInvoice`. */
function isAbout(answer: Answer, payment: PaymentToVerify): boolean {
  const invoice = text(answer['merchantInvoiceNumber']) || text(answer['merchantInvoice']);
  return text(answer['paymentID']) === payment.session['paymentID'] && invoice === payment.gatewayReference;
}

/** The customer has agreed, with PIN, and the money waits for our execute. */
export function waitsForExecute(answer: Answer): boolean {
  const status = ourState(transactionStates, text(answer['transactionStatus']));
  return status === 'processing' && text(answer['userVerificationStatus']).toLowerCase() === 'complete';
}

/** The customer has not come as far as the PIN; execute's own answers do not say. */
const lacksConsent = (answer: Answer): boolean =>
  text(answer['userVerificationStatus']).toLowerCase() === 'incomplete';

const claims: Readonly<Record<string, CallbackClaim>> = {
  success: 'success',
  failure: 'failure',
  cancel: 'cancel',
};

export function claimIn(fields: CallbackFields): CallbackClaim {
  const status = (fields['status'] ?? '').toLowerCase();
  return Object.hasOwn(claims, status) ? (claims[status] ?? 'unclear') : 'unclear';
}

const refundStates: Readonly<Record<string, 'refunded' | 'processing' | 'refused'>> = {
  completed: 'refunded',
  initiated: 'processing',
  pending: 'processing',
  declined: 'refused',
  cancelled: 'refused',
  failed: 'refused',
};

/** One refund: the answer of the refund call, or one of those that the status lists. */
export function judgeRefund(answer: Answer): RefundResult {
  const status = text(answer['refundTransactionStatus']).toLowerCase();
  const gatewayRefundId = text(answer['refundTrxId']);
  const details = { refundTransactionStatus: status, refundTrxId: gatewayRefundId };
  const kind = Object.hasOwn(refundStates, status) ? refundStates[status] : undefined;
  if (kind === 'refused') return { kind, reason: asReason(status), details };
  if (kind === undefined || !gatewayRefundId) {
    return { kind: 'unknown', reason: problemIn(answer), neverSent: false, details };
  }
  return { kind, gatewayRefundId, details };
}

/**
 * The status lists a payment's refunds without any reference of ours: the one of our amount that is no other refund's
 * is ours. At most one refund of a payment is under way at a time, so there is no third to confuse it with.
 */
export function findRefund(answer: Answer, question: RefundQuestion): RefundResult {
  const listed = answer['refundTransactions'];
  if (!Array.isArray(listed)) {
    return { kind: 'unknown', reason: problemIn(answer), neverSent: false, details: {} };
  }
  const candidates: Answer[] = (listed as unknown[]).map((row) => asObject(row) ?? {});
  const ours = candidates.find((row) => {
    const id = text(row['refundTrxId']);
    if (question.gatewayRefundId) return id === question.gatewayRefundId;
    return (
      !question.otherRefundIds.includes(id) && parseMinor(text(row['refundAmount'])) === question.amountMinor
    );
  });
  if (ours) return judgeRefund(ours);
  return {
    kind: 'refused',
    reason: 'the gateway knows no such refund',
    details: { listed: candidates.length },
  };
}
