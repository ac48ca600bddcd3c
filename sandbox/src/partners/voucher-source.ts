import { randomCapitals, randomDigits } from '../random-text.ts';
import type { World } from '../world.ts';

export interface IssuedCode {
  code: string;
  pin: string;
  serialNumber: string;
}

/** Makes codes nobody has seen, unless a fault has it give none, too few, or one given before. */
export type IssueCodes = (quantity: number) => IssuedCode[];

export function openVoucherSource(world: World): IssueCodes {
  const last = world.ledger.table<IssuedCode>('partner/last_code');
  const purchase = ['purchase'] as const;

  function fresh(): IssuedCode {
    const code = Array.from({ length: 4 }, () => randomCapitals(4)).join('-');
    const issued = { code, pin: randomDigits(6), serialNumber: randomDigits(14) };
    last.put('last', issued);
    return issued;
  }

  return (quantity) => {
    if (world.faults.take('partner', 'no_code', purchase)) return [];
    if (world.faults.take('partner', 'short_codes', purchase))
      return Array.from({ length: quantity - 1 }, fresh);
    if (world.faults.take('partner', 'repeat_code', purchase)) {
      const repeated = last.get('last') ?? fresh();
      return Array.from({ length: quantity }, () => repeated);
    }
    return Array.from({ length: quantity }, fresh);
  };
}
