import { printAmount } from '../../amount.ts';
import { dhakaDateTime, dhakaDigits } from '../../dhaka-time.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { randomCapitals, randomLetters } from '../../random-text.ts';
import type { Outcome } from '../gateway.ts';
import type { SessionAmount } from './session-fields.ts';

export interface Session extends SessionAmount {
  sessionkey: string;
  /** What is charged; always taka, whatever was ordered. */
  currency: string;
  tranId: string;
  /** What the merchant asked for, without the password. */
  fields: Readonly<Record<string, string>>;
  createdAt: string;
  status: 'PENDING' | 'VALID' | 'FAILED' | 'CANCELLED';
  outcome?: Outcome;
  tranDate: string;
  bankTranId: string;
  valId?: string;
  /** Set by the first validation; later ones answer VALIDATED. */
  validatedOn?: string;
  /** What a fault made verifications say instead; whoever asks again hears it again. */
  lie?: Partial<Pick<Session, 'status' | 'amountMinor' | 'currency' | 'currencyType' | 'currencyAmount'>>;
}

export interface Refund {
  refundRefId: string;
  refundTransId: string;
  bankTranId: string;
  tranId: string;
  amountMinor: number;
  status: 'processing' | 'refunded';
  initiatedOn: string;
  refundedOn: string;
}

export interface Sessions {
  open(fields: Readonly<Record<string, string>>, amount: SessionAmount): Session;
  save(session: Session): void;
  find(sessionkey: string): Session | undefined;
  withValId(valId: string): Session | undefined;
  /** Oldest first: every attempt made with this transaction id. */
  withTranId(tranId: string): Session[];
  withBankTranId(bankTranId: string): Session | undefined;
  settle(session: Session, outcome: Outcome): void;
  saveRefund(refund: Refund): void;
  findRefund(refundRefId: string): Refund | undefined;
  refundsOf(bankTranId: string): Refund[];
}

const STATUS_OF = { success: 'VALID', failure: 'FAILED', cancel: 'CANCELLED' } as const;
/** The gateway keeps 2.5 % of what the customer pays. */
const FEE_PER_MILLE = 25;

/** Their style of reference: twelve digits of time, then random text, 28 characters. */
export function newReference(): string {
  return `${dhakaDigits().slice(2)}${randomLetters(16)}`;
}

export function storeAmount(amountMinor: number): string {
  return printAmount(amountMinor - Math.round((amountMinor * FEE_PER_MILLE) / 1000));
}

export function openSessions(ledger: Ledger): Sessions {
  const table = ledger.table<Session>('aggregator/sessions');
  const refunds = ledger.table<Refund>('aggregator/refunds');
  const byValId = table.indexBy((session) => session.valId);
  const byTranId = table.indexBy((session) => session.tranId);
  const byBankTranId = table.indexBy((session) => session.bankTranId || undefined);
  const refundsByBankTranId = refunds.indexBy((refund) => refund.bankTranId);
  const save = (session: Session) => table.put(session.sessionkey, session);

  return {
    open(fields, amount) {
      const { store_passwd: _password, ...kept } = fields;
      const session: Session = {
        ...amount,
        sessionkey: randomCapitals(32),
        currency: 'BDT',
        tranId: kept['tran_id'] ?? '',
        fields: kept,
        createdAt: new Date().toISOString(),
        status: 'PENDING',
        tranDate: dhakaDateTime(),
        bankTranId: '',
      };
      save(session);
      return session;
    },
    save,
    find: (sessionkey) => table.get(sessionkey),
    withValId: (valId) => byValId(valId)[0],
    withTranId: byTranId,
    withBankTranId: (bankTranId) => byBankTranId(bankTranId)[0],
    settle(session, outcome) {
      save({
        ...session,
        outcome,
        status: STATUS_OF[outcome],
        tranDate: dhakaDateTime(),
        bankTranId: outcome === 'cancel' ? '' : newReference(),
        ...(outcome === 'success' ? { valId: newReference() } : {}),
      });
    },
    saveRefund: (refund) => refunds.put(refund.refundRefId, refund),
    findRefund: (refundRefId) => refunds.get(refundRefId),
    refundsOf: refundsByBankTranId,
  };
}
