import { createHash } from 'node:crypto';

import { parseMinor } from '../../../../platform/money.ts';
import type { CallbackClaim, CallbackFields, Verification } from '../gateway.ts';

/** One transaction as SSLCommerz describes it, in the validation and in the query answer. */
export interface AggregatorTransaction {
  readonly status?: unknown;
  readonly tran_id?: unknown;
  readonly amount?: unknown;
  readonly currency?: unknown;
  readonly currency_type?: unknown;
  readonly bank_tran_id?: unknown;
  readonly risk_level?: unknown;
  readonly error?: unknown;
}

/** Interface part 4, callback rule 2. */
const ACCEPTED = new Set(['VALID', 'VALIDATED', 'VALID_AND_CONFIRMED']);
const REFUSED = new Set(['FAILED', 'EXPIRED', 'UNATTEMPTED', 'INVALID_TRANSACTION']);

/** Their state → ours; the README beside this file shows it as a table. */
export function judge(transaction: AggregatorTransaction, gatewayReference: string): Verification {
  const status = text(transaction.status).toUpperCase();
  const details = {
    status,
    amount: text(transaction.amount),
    currency: currencyOf(transaction),
    bank_tran_id: text(transaction.bank_tran_id),
    risk_level: text(transaction.risk_level),
  };
  if (ACCEPTED.has(status)) {
    if (text(transaction.tran_id) !== gatewayReference) {
      return { kind: 'refused', reason: 'the answer is about another transaction', details };
    }
    const amountMinor = parseMinor(text(transaction.amount));
    if (amountMinor === undefined) return { kind: 'unknown', reason: 'the answer has no amount', details };
    return {
      kind: 'confirmed',
      amountMinor,
      currency: currencyOf(transaction),
      gatewayTransactionId: text(transaction.bank_tran_id) || gatewayReference,
      details,
    };
  }
  if (status === 'CANCELLED')
    return { kind: 'cancelled', reason: text(transaction.error) || status, details };
  if (REFUSED.has(status)) return { kind: 'refused', reason: text(transaction.error) || status, details };
  if (status === 'PENDING') return { kind: 'processing', details };
  return { kind: 'unknown', reason: `unknown status ${status.slice(0, 40) || '(none)'}`, details };
}

/** `amount` is in BDT, whatever the customer's card was charged in. */
function currencyOf(transaction: AggregatorTransaction): string {
  return text(transaction.currency) || text(transaction.currency_type);
}

export function claimIn(fields: CallbackFields): CallbackClaim {
  switch ((fields['status'] ?? '').toUpperCase()) {
    case 'VALID':
    case 'VALIDATED':
    case 'VALID_AND_CONFIRMED':
      return 'success';
    case 'CANCELLED':
      return 'cancel';
    case 'FAILED':
    case 'EXPIRED':
    case 'UNATTEMPTED':
      return 'failure';
    default:
      return 'unclear';
  }
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

export function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
