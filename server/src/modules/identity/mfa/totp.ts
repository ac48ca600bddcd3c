import { createHmac, timingSafeEqual } from 'node:crypto';

/** Time-based one-time passwords (RFC 6238): SHA-1, six digits, 30 seconds, which is what every authenticator does. */
const STEP_SECONDS = 30;
const DIGITS = 6;
/** Codes of the step before and after count too: clocks differ. */
const STEPS_APART = 1;

export function totpAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

export const stepAt = (moment: Date): number => Math.floor(moment.getTime() / 1000 / STEP_SECONDS);

/** The step whose code this is, of those near the moment; undefined when it is none of theirs. */
export function matchingStep(secret: Buffer, code: string, moment: Date): number | undefined {
  const now = stepAt(moment);
  const given = Buffer.from(code);
  let found: number | undefined;
  for (let step = now - STEPS_APART; step <= now + STEPS_APART; step += 1) {
    const expected = Buffer.from(totpAt(secret, step));
    if (given.length === expected.length && timingSafeEqual(given, expected)) found = step;
  }
  return found;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 without padding, as authenticators read secrets. */
export function toBase32(bytes: Buffer): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => BASE32.charAt(Number.parseInt(group.padEnd(5, '0'), 2))).join('');
}

/** What the QR code of an authenticator says. */
export function otpauthUrl(secret: Buffer, account: string): string {
  const issuer = 'Voucher operations';
  const label = encodeURIComponent(`${issuer}:${account}`);
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
