import { createHash } from 'node:crypto';

import { parseMinor } from '../../../../platform/money.ts';
import { asObject, asReason, ourState, text } from '../gateway-answer.ts';
import type { Answer, StateTable } from '../gateway-answer.ts';
import type { CallbackClaim, CallbackFields, PaymentToVerify, Verification } from '../gateway.ts';
import type { RefundResult } from '../refund.ts';

/** Their transaction states → ours (interface part 4, callback rule 2). The README beside this file shows it. */
export const transactionStates: StateTable = {
  valid: 'confirmed',
  validated: 'confirmed',
  valid_and_confirmed: 'confirmed',
  pending: 'processing',
  cancelled: 'cancelled',
  failed: 'refused',
  expired: 'refused',
  unattempted: 'refused',
  invalid_transaction: 'refused',
};

/** What the validation by `val_id` said. */
export function judgeValidation(answer: Answer, payment: PaymentToVerify): Verification {
  return connectionProblem(answer) ?? judgeTransaction(answer, payment.gatewayReference);
}

/** What the query by `tran_id` said: several attempts give several elements, a paid one decides, else the last. */
export function judgeQuery(answer: Answer, payment: PaymentToVerify): Verification {
  const problem = connectionProblem(answer);
  if (problem) return problem;
  const elements = Array.isArray(answer['element']) ? (answer['element'] as unknown[]) : [];
  const judged = elements.map((element) =>
    judgeTransaction(asObject(element) ?? {}, payment.gatewayReference),
  );
  const none: Verification = { kind: 'processing', details: { no_of_trans_found: 0 } };
  return judged.find(({ kind }) => kind === 'confirmed') ?? judged.at(-1) ?? none;
}

/** `APIConnect` says whether the question itself was accepted; it is read before `status`. */
function connectionProblem(answer: Answer): Extract<Verification, { kind: 'unknown' }> | undefined {
  const connect = text(answer['APIConnect']);
  if (connect === 'DONE') return undefined;
  return { kind: 'unknown', reason: `APIConnect ${connect || 'missing'}`, details: { APIConnect: connect } };
}

function judgeTransaction(transaction: Answer, gatewayReference: string): Verification {
  const status = text(transaction['status']);
  const details = {
    status,
    amount: text(transaction['amount']),
    currency: currencyOf(transaction),
    bank_tran_id: text(transaction['bank_tran_id']),
    risk_level: text(transaction['risk_level']),
  };
  const kind = ourState(transactionStates, status);
  switch (kind) {
    case 'confirmed': {
      if (text(transaction['tran_id']) !== gatewayReference) {
        return { kind: 'refused', reason: 'the answer is about another transaction', details };
      }
      const amountMinor = parseMinor(details.amount);
      if (amountMinor === undefined) return { kind: 'unknown', reason: 'the answer has no amount', details };
      const gatewayTransactionId = details.bank_tran_id || gatewayReference;
      return { kind, amountMinor, currency: details.currency, gatewayTransactionId, details };
    }
    case 'processing':
      return { kind, details };
    case 'cancelled':
    case 'refused':
      return { kind, reason: asReason(text(transaction['error']), status), details };
    default:
      return { kind: 'unknown', reason: `unknown status ${status.slice(0, 40) || '(none)'}`, details };
  }
}

/** `amount` is in BDT, whatever the customer's card was charged in. */
function currencyOf(transaction: Answer): string {
  return text(transaction['currency']) || text(transaction['currency_type']);
}

const claims: Readonly<Record<string, CallbackClaim>> = {
  confirmed: 'success',
  cancelled: 'cancel',
  refused: 'failure',
};

export function claimIn(fields: CallbackFields): CallbackClaim {
  return claims[ourState(transactionStates, fields['status'] ?? '') ?? ''] ?? 'unclear';
}

/**
 * SSLCommerz signs the fields it lists in `verify_key`, with the MD5 of the store password among them, over the
 * values exactly as received.
 */
export function signatureOf(fields: CallbackFields, storePassword: string): 'valid' | 'wrong' | 'unsigned' {
  const signature = fields['verify_sign'];
  const names = fields['verify_key'];
  if (!signature || !names) return 'unsigned';
  const signed = new Map(names.split(',').map((name) => [name, fields[name] ?? '']));
  signed.set('store_passwd', md5(storePassword));
  const content = [...signed]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return md5(content) === signature.toLowerCase() ? 'valid' : 'wrong';
}

const md5 = (content: string): string => createHash('md5').update(content).digest('hex');

/** Their refund states → ours. `success` means that a refund was begun: only the status query says how it ended. */
const refundStates: Readonly<Record<string, 'refunded' | 'processing' | 'refused'>> = {
  refunded: 'refunded',
  success: 'processing',
  processing: 'processing',
  failed: 'refused',
  cancelled: 'refused',
};

export function judgeRefund(answer: Answer): RefundResult {
  const problem = connectionProblem(answer);
  if (problem) return { ...problem, neverSent: false };
  const status = text(answer['status']).toLowerCase();
  const gatewayRefundId = text(answer['refund_ref_id']);
  const details = { status, refund_ref_id: gatewayRefundId };
  const kind = Object.hasOwn(refundStates, status) ? refundStates[status] : undefined;
  if (kind === 'refused') return { kind, reason: asReason(text(answer['errorReason']), status), details };
  if (kind === undefined || !gatewayRefundId) {
    return {
      kind: 'unknown',
      reason: `unknown refund status ${status || '(none)'}`,
      neverSent: false,
      details,
    };
  }
  return { kind, gatewayRefundId, details };
}
