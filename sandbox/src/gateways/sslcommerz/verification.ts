import { printAmount } from '../../amount.ts';
import type { Call } from '../../faults/fault-catalogue.ts';
import type { World } from '../../world.ts';
import type { Session, Sessions } from './sessions.ts';
import { transactionFields } from './transaction-fields.ts';

type Answer = Record<string, unknown>;

const VERIFY: readonly Call[] = ['verify'];
const QUERY: readonly Call[] = ['verify', 'query'];

const ABOUT_CALL = {
  APIConnect: 'DONE',
  gw_version: '4.00',
  offer_avail: 1,
  isTokeizeSuccess: 0,
} as const;

export interface Verification {
  /** By `val_id`: VALID the first time, VALIDATED after that. */
  validate(valId: string): Answer;
  /** By `tran_id`: one element for each attempt. */
  byTranId(tranId: string): Answer;
  bySessionkey(sessionkey: string): Answer;
}

/** What the gateway says of a payment, with the faults that meet a verification. */
export function createVerification(world: World, sessions: Sessions): Verification {
  /** The session as the gateway tells it, which a fault may have made untrue. */
  function asTold(session: Session, calls: readonly Call[]): Session {
    if (session.status !== 'VALID') return session;
    const halfMinor = Math.floor(session.amountMinor / 2);
    const lie: NonNullable<Session['lie']> = { ...session.lie };
    if (world.faults.take('aggregator', 'declined', calls)) lie.status = 'FAILED';
    if (world.faults.take('aggregator', 'wrong_amount', calls)) {
      Object.assign(lie, { amountMinor: halfMinor, currencyAmount: printAmount(halfMinor) });
    }
    if (world.faults.take('aggregator', 'wrong_currency', calls)) {
      Object.assign(lie, { currency: 'USD', currencyType: 'USD' });
    }
    if (Object.keys(lie).length > 0) sessions.save({ ...session, lie });
    return { ...session, ...lie };
  }

  function statusOf(session: Session, calls: readonly Call[]): string {
    if (world.faults.take('aggregator', 'processing', calls)) return 'PENDING';
    return session.status === 'VALID' && session.validatedOn !== undefined ? 'VALIDATED' : session.status;
  }

  function element(session: Session): Answer {
    const told = asTold(session, QUERY);
    const failed = told.status === 'FAILED' || told.status === 'CANCELLED';
    return {
      ...transactionFields(told),
      status: statusOf(told, QUERY),
      bank_gw: 'BKASH',
      error: failed ? 'Transaction was not completed' : '',
      validated_on: told.validatedOn ?? '',
    };
  }

  return {
    validate(valId) {
      const found = sessions.withValId(valId);
      if (!found) return { ...ABOUT_CALL, status: 'INVALID_TRANSACTION' };
      const session = asTold(found, VERIFY);
      const status = statusOf(session, VERIFY);
      const validatedOn = session.validatedOn ?? session.tranDate;
      if (status === 'VALID') sessions.save({ ...(sessions.withValId(valId) ?? found), validatedOn });
      return { status, ...transactionFields(session), ...ABOUT_CALL, validated_on: validatedOn };
    },
    byTranId(tranId) {
      const elements = sessions.withTranId(tranId).map(element);
      return { APIConnect: 'DONE', no_of_trans_found: elements.length, element: elements };
    },
    bySessionkey(sessionkey) {
      const session = sessions.find(sessionkey);
      if (!session) return { APIConnect: 'DONE', status: 'INVALID_TRANSACTION', sessionkey };
      return { APIConnect: 'DONE', sessionkey, ...element(session) };
    },
  };
}
