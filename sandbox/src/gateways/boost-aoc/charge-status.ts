import { printAmount } from '../../amount.ts';
import type { Call } from '../../faults/fault-catalogue.ts';
import type { World } from '../../world.ts';
import type { Charge, Charges } from './charges.ts';
import { outcomeOf } from './error-codes.ts';
import type { AocErrorCode } from './error-codes.ts';

const TARGET = 'dcb';
const CALLS: readonly Call[] = ['verify', 'query'];

/** `pending_consent` before the customer acted, then Charged or Denied; AOC1004 means they cancelled. */
export function chargeStatus(world: World, charges: Charges, aocTransID: string): object {
  const found = charges.find(aocTransID);
  if (!found) return outcomeOf('AOC0001');
  const charge = asTold(world, charges, found);
  const [transactionOperationStatus, errorCode] = statusOf(world, charge);
  return {
    transactionOperationStatus,
    totalAmountCharged: printAmount(charge.lie?.amountMinor ?? charge.amountMinor),
    msisdn: charge.outcome === undefined ? '' : charge.msisdn,
    clientCorrelator: charge.clientCorrelator,
    ...outcomeOf(errorCode),
  };
}

function asTold(world: World, charges: Charges, charge: Charge): Charge {
  if (charge.outcome !== 'success') return charge;
  const lie: NonNullable<Charge['lie']> = { ...charge.lie };
  if (world.faults.take(TARGET, 'declined', CALLS)) lie.denied = true;
  if (world.faults.take(TARGET, 'wrong_amount', CALLS)) lie.amountMinor = Math.floor(charge.amountMinor / 2);
  if (Object.keys(lie).length === 0) return charge;
  const told = { ...charge, lie };
  charges.save(told);
  return told;
}

function statusOf(world: World, charge: Charge): [string, AocErrorCode] {
  if (world.faults.take(TARGET, 'processing', CALLS)) return ['Processing', '00'];
  if (charge.outcome === undefined) return ['pending_consent', '00'];
  if (charge.outcome === 'cancel') return ['Denied', 'AOC1004'];
  return charge.outcome === 'failure' || charge.lie?.denied ? ['Denied', 'AOC1012'] : ['Charged', '00'];
}
