/**
 * Money is an integer count of minor units (poisha) everywhere inside; decimals exist only at the wire.
 * Nothing here multiplies a float: text is split at the point and read as whole numbers.
 */
export type Minor = number;

const DECIMAL = /^(\d{1,12})(?:\.(\d{1,2}))?$/;

/**
 * Reads a decimal amount of BDT, as text or as a JSON number, into minor units.
 * @returns undefined when it is not a plain non-negative decimal with at most two places.
 */
export function parseMinor(amount: string | number): Minor | undefined {
  const text = typeof amount === 'number' ? String(amount) : amount.trim();
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}

/** Prints minor units with exactly two places, as gateways want them: `100.00`. */
export function formatMinor(minor: Minor): string {
  const sign = minor < 0 ? '-' : '';
  const whole = Math.abs(minor);
  return `${sign}${Math.trunc(whole / 100)}.${String(whole % 100).padStart(2, '0')}`;
}

/** The JSON number of an amount at the wire: `99.5`, `100`. Exact, since it is parsed from the decimal text. */
export function toWireAmount(minor: Minor): number {
  return Number(formatMinor(minor));
}

/** An amount as a person reads it, decimals only when it is not whole: `100`, `99.50` (decisions part 5). */
export function toPlainAmount(minor: Minor): string {
  return minor % 100 === 0 ? String(minor / 100) : formatMinor(minor);
}
