import type { Ledger } from '../../ledger/ledger.ts';
import { randomDigits, randomLetters } from '../../random-text.ts';
import type { Outcome } from '../gateway.ts';

export interface Charge {
  aocTransID: string;
  spTransID: string;
  amountMinor: number;
  currency: string;
  description: string;
  onBehalfOf: string;
  callbackURL: string;
  clientCorrelator: string;
  msisdn: string;
  outcome?: Outcome;
  /** What a fault made answers say instead; whoever asks again hears it again. */
  lie?: { denied?: true; amountMinor?: number };
}

export interface Refund {
  spTransID: string;
  aocTransID: string;
  amountMinor: number;
  clientCorrelator: string;
}

/** What the merchant says of a charge; the rest is ours. */
export type ChargeOrder = Pick<
  Charge,
  'spTransID' | 'amountMinor' | 'currency' | 'description' | 'onBehalfOf' | 'callbackURL'
>;

export interface Charges {
  /** Whether a charge or a refund has used this id; each call needs one of its own. */
  isUsed(spTransID: string): boolean;
  open(order: ChargeOrder): Charge;
  save(charge: Charge): void;
  find(aocTransID: string): Charge | undefined;
  addRefund(charge: Charge, refund: { spTransID: string; amountMinor: number }): Refund;
  findRefund(spTransID: string): Refund | undefined;
  refundedMinor(aocTransID: string): number;
}

export function openCharges(ledger: Ledger): Charges {
  const charges = ledger.table<Charge>('dcb/charges');
  const refunds = ledger.table<Refund>('dcb/refunds');
  const bySpTransID = charges.indexBy((charge) => charge.spTransID);
  const refundsOf = refunds.indexBy((refund) => refund.aocTransID);
  const save = (charge: Charge) => charges.put(charge.aocTransID, charge);
  return {
    isUsed: (spTransID) => bySpTransID(spTransID).length > 0 || refunds.get(spTransID) !== undefined,
    open(order) {
      const charge: Charge = {
        ...order,
        aocTransID: randomDigits(16),
        clientCorrelator: randomLetters(24),
        msisdn: `+88018${randomDigits(8)}`,
      };
      save(charge);
      return charge;
    },
    save,
    find: (aocTransID) => charges.get(aocTransID),
    addRefund(charge, { spTransID, amountMinor }) {
      const refund = {
        spTransID,
        amountMinor,
        aocTransID: charge.aocTransID,
        clientCorrelator: randomLetters(24),
      };
      refunds.put(spTransID, refund);
      return refund;
    },
    findRefund: (spTransID) => refunds.get(spTransID),
    refundedMinor: (aocTransID) => refundsOf(aocTransID).reduce((sum, refund) => sum + refund.amountMinor, 0),
  };
}
