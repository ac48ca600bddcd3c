import { parseAmount } from '../../amount.ts';
import type { StatusCode } from './status-codes.ts';

export interface CreateOrder {
  mode: '0011';
  amountMinor: number;
  currency: 'BDT';
  intent: 'sale' | 'authorization';
  callbackURL: string;
  payerReference: string;
  merchantInvoiceNumber: string;
}

const MANDATORY = ['mode', 'amount', 'currency', 'intent', 'callbackURL', 'merchantInvoiceNumber'] as const;
const MIN_MINOR = 100;
const TEXT_LIMIT = 255;

/** These characters are refused in references. */
const isPlain = (text: string) => text.length <= TEXT_LIMIT && !/[<>&]/.test(text);

/** Checks a create call in the order in which the vendor lists its fields. */
export function readCreateFields(
  fields: Readonly<Record<string, string>>,
): CreateOrder | { refused: StatusCode } {
  if (MANDATORY.some((name) => fields[name] === undefined)) return { refused: '2065' };
  const {
    mode,
    currency,
    intent,
    callbackURL = '',
    payerReference = '',
    merchantInvoiceNumber = '',
  } = fields;
  // Agreements (0000, 0001) are a product of their own that this stand-in does not have.
  if (mode !== '0011') return { refused: mode === '0000' || mode === '0001' ? '2064' : '2063' };
  if (!isPlain(payerReference) || payerReference === '') return { refused: '2048' };
  if (!URL.canParse(callbackURL)) return { refused: '2049' };
  const amountMinor = parseAmount(fields['amount']);
  if (amountMinor === undefined || amountMinor < MIN_MINOR) return { refused: '2006' };
  if (currency !== 'BDT') return { refused: '2007' };
  if (intent !== 'sale' && intent !== 'authorization') return { refused: '2008' };
  if (!isPlain(merchantInvoiceNumber)) return { refused: '2031' };
  return {
    mode,
    amountMinor,
    currency,
    intent,
    callbackURL,
    payerReference,
    merchantInvoiceNumber,
  };
}
