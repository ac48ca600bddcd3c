/** Parses "10", "10.5" or "10.50" (or the number) into minor units; anything else is undefined. */
export function parseAmount(value: unknown): number | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(
    typeof value === 'number' ? `${value}` : typeof value === 'string' ? value : '',
  );
  return match ? Number(`${match[1]}${(match[2] ?? '').padEnd(2, '0')}`) : undefined;
}

/** Prints minor units with two decimals: 1050 is "10.50". */
export function printAmount(amountMinor: number): string {
  const digits = `${amountMinor}`.padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
