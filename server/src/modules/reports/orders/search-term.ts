import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

import type { SecretBox } from '../../../platform/secret-box.ts';
import { voucherDigest } from '../../vouchers/index.ts';

/** What an operator may have typed or pasted, as each place that could hold it spells it. */
export interface SearchTerm {
  readonly text: string;
  readonly orderId: number | null;
  readonly orderNumber: string;
  readonly email: string | null;
  /** E.164. */
  readonly msisdn: string | null;
  /** Of a voucher code: codes are found whole, by their keyed digest, and in no other way. */
  readonly codeDigest: Buffer;
}

export function readSearchTerm(box: SecretBox, typed: string): SearchTerm {
  const text = typed.trim();
  const phone = /^[+\d][\d\s().-]{6,}$/.test(text) ? parsePhoneNumberFromString(text, 'BD') : undefined;
  return {
    text,
    orderId: /^\d{1,15}$/.test(text) ? Number(text) : null,
    orderNumber: text.toUpperCase(),
    email: text.includes('@') ? text.toLowerCase() : null,
    msisdn: phone?.isPossible() ? phone.number : null,
    codeDigest: voucherDigest(box, text),
  };
}
