import type { SecretBox } from '../../platform/secret-box.ts';

/** Where each secret stands: a value moved to another column does not open. */
export const redemptionContexts = {
  token: 'redemption_codes.token',
  voucherCode: 'redemption_codes.voucher_code',
  typedToken: 'redemption_attempts.token',
} as const;

/** Longer than any token: what is cut off could only have been wrong. */
const LONGEST_TYPED_CHARACTERS = 64;

/** What a person typed or a scanner read, as tokens are stored: no spaces and hyphens, upper case (decisions 7.5). */
export function normaliseToken(typed: string): string {
  return typed
    .replaceAll(/[\s\p{Pd}]+/gu, '')
    .toUpperCase()
    .slice(0, LONGEST_TYPED_CHARACTERS);
}

export function tokenDigest(box: SecretBox, token: string): Buffer {
  return box.digest(token, redemptionContexts.token);
}

export function voucherCodeDigest(box: SecretBox, voucherCode: string): Buffer {
  return box.digest(voucherCode.trim(), redemptionContexts.voucherCode);
}

/** How a list shows a voucher code: that there is one, and its end, to tell two apart. */
export function maskVoucherCode(voucherCode: string): string {
  return voucherCode.length > 8 ? `••••${voucherCode.slice(-4)}` : '••••';
}
