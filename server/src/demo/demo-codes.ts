import { createHash } from 'node:crypto';

import { READABLE_ALPHABET } from '../platform/random.ts';
import type { ImportRow } from '../modules/vouchers/index.ts';
import type { DemoCodes } from './demo-product.ts';

/**
 * The codes of one demo variant: always the same for the same SKU, so that seeding again finds them there. They look
 * like codes and open nothing; a real shop loads its own.
 */
export function* demoCodes(options: {
  readonly sku: string;
  readonly codes: DemoCodes;
  readonly count: number;
  readonly now: Date;
}): Generator<ImportRow> {
  const { sku, codes, count, now } = options;
  const expiresAt = codes.expiresInMonths === undefined ? '' : monthsAfter(now, codes.expiresInMonths);
  for (let line = 1; line <= count; line += 1) {
    const draw = drawFrom(`${sku} ${line}`);
    const code = fill(codes.shape, draw);
    yield {
      line,
      code,
      pin: fill('#'.repeat(codes.pinDigits ?? 0), draw),
      serialNumber: codes.serialPrefix === undefined ? '' : fill(`${codes.serialPrefix}##########`, draw),
      redemptionUrl: codes.redemptionUrl === undefined ? '' : `${codes.redemptionUrl}${code}`,
      expiresAt,
    };
  }
}

type Draw = (alphabet: string) => string;

/** One character after another, settled by the seed alone. 64 bytes are more than any code has characters. */
function drawFrom(seed: string): Draw {
  const bytes = createHash('sha512').update(`demo code ${seed}`).digest();
  let at = 0;
  return (alphabet) => {
    const character = alphabet.charAt((bytes[at % bytes.length] ?? 0) % alphabet.length);
    at += 1;
    return character;
  };
}

function fill(shape: string, draw: Draw): string {
  return shape.replaceAll(/[?#]/g, (place) => draw(place === '#' ? '0123456789' : READABLE_ALPHABET));
}

function monthsAfter(now: Date, months: number): string {
  const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1));
  return at.toISOString().slice(0, 10);
}
