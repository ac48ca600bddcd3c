import { parseMinor } from '../../../../platform/money.ts';
import { asObject, asReason, ourState, text } from '../gateway-answer.ts';
import type { Answer, StateTable } from '../gateway-answer.ts';
import type { CallbackClaim, CallbackFields, Verification } from '../gateway.ts';

/**
 * Their `trx_status` → ours, in any letter case. The README beside this file shows it. It alone says whether money
 * came: the amounts beside it are what was asked for, paid or not.
 */
export const transactionStates: StateTable = {
  success: 'confirmed',
  processing: 'processing',
  failed: 'refused',
  refund: 'refused',
};

/** Envelope codes, text on the wire. */
const FOUND = '200';
const NOT_FOUND = '2001';

/** PayStation deals in taka only and names no currency. */
const CURRENCY = 'BDT';

export function judgeStatus(answer: Answer, gatewayReference: string): Verification {
  const code = text(answer['status_code']);
  const message = text(answer['message']);
  if (code === NOT_FOUND)
    return { kind: 'refused', reason: asReason(message, code), details: { status_code: code } };
  const transaction = asObject(answer['data']);
  if (code !== FOUND || !transaction) {
    return { kind: 'unknown', reason: asReason(message, code), details: { status_code: code } };
  }
  const status = text(transaction['trx_status']);
  const details = {
    trx_status: status,
    trx_id: text(transaction['trx_id']),
    request_amount: text(transaction['request_amount']),
    payment_amount: text(transaction['payment_amount']),
    payment_method: text(transaction['payment_method']),
  };
  if (text(transaction['invoice_number']) !== gatewayReference) {
    return { kind: 'refused', reason: 'the answer is about another invoice', details };
  }
  const kind = ourState(transactionStates, status);
  switch (kind) {
    case 'confirmed': {
      const amountMinor = parseMinor(details.request_amount || details.payment_amount);
      if (amountMinor === undefined) return { kind: 'unknown', reason: 'the answer has no amount', details };
      return {
        kind,
        amountMinor,
        currency: CURRENCY,
        gatewayTransactionId: details.trx_id || gatewayReference,
        details,
      };
    }
    case 'processing':
      return { kind, details };
    case 'cancelled':
    case 'refused':
      return { kind, reason: status, details };
    default:
      return { kind: 'unknown', reason: `unknown trx_status ${status.slice(0, 40) || '(none)'}`, details };
  }
}

const claims: Readonly<Record<string, CallbackClaim>> = {
  successful: 'success',
  success: 'success',
  failed: 'failure',
  canceled: 'cancel',
  cancelled: 'cancel',
};

/** `status` of the browser's callback, `trx_status` of the merchant notice. */
export function claimIn(fields: CallbackFields): CallbackClaim {
  const status = (fields['status'] ?? fields['trx_status'] ?? '').toLowerCase();
  return Object.hasOwn(claims, status) ? (claims[status] ?? 'unclear') : 'unclear';
}
