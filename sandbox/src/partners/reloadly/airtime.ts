import { setTimeout } from 'node:timers/promises';
import { parseAmount } from '../../amount.ts';
import { randomDigits } from '../../random-text.ts';
import type { World } from '../../world.ts';
import type { Account } from '../account.ts';
import {
  MAX_LOCAL_MINOR,
  MIN_LOCAL_MINOR,
  TAKA_PER_DOLLAR,
  detectOperator,
  findOperator,
} from './operators.ts';
import { failure, reloadlyDateTime } from './reloadly-error.ts';
import type { ReloadlyFailure } from './reloadly-error.ts';
import { balanceInfo, wireNumber } from './wire-shapes.ts';

export interface Topup {
  transactionId: number;
  status: 'PROCESSING' | 'SUCCESSFUL';
  customIdentifier: string;
  operatorId: number;
  operatorName: string;
  recipientPhone: string;
  /** In US cents, what we pay. */
  costMinor: number;
  /** In poisha, what the customer gets. */
  deliveredMinor: number;
  transactionDate: string;
  balanceInfo: object;
}

export interface Airtime {
  topUp(body: Record<string, unknown>): Promise<Topup | ReloadlyFailure>;
  /** What was processing is settled by the time somebody asks. */
  find(transactionId: string): Topup | undefined;
  withCustomIdentifier(customIdentifier: string): Topup[];
  all(): Topup[];
}

const FIRST_ID = 4_100_000;
const IDENTIFIER_LIMIT = 150;
/** An operator takes a moment, and in it a second order with the same identifier slips through. */
const OPERATOR_MS = 20;

export function openAirtime(world: World, account: Account): Airtime {
  const table = world.ledger.table<Topup>('partner/reloadly_topups');
  const byIdentifier = table.indexBy((topup) => topup.customIdentifier.toLowerCase() || undefined);

  function settled(topup: Topup): Topup {
    if (topup.status !== 'PROCESSING' || world.faults.take('partner', 'processing', ['query'])) return topup;
    const done: Topup = { ...topup, status: 'SUCCESSFUL' };
    table.put(`${done.transactionId}`, done);
    return done;
  }

  function refusalOf(identifier: string): ReloadlyFailure | undefined {
    if (identifier.length > IDENTIFIER_LIMIT)
      return failure('INVALID_INPUT_PROVIDED', 'customIdentifier is too long');
    if (identifier !== '' && byIdentifier(identifier.toLowerCase()).length > 0) {
      return failure('CUSTOM_IDENTIFIER_ALREADY_USED', 'The custom identifier has been used already');
    }
    if (world.faults.take('partner', 'out_of_stock', ['purchase'])) {
      return failure('OPERATOR_UNAVAILABLE_OR_CURRENTLY_INACTIVE', 'The operator is not available');
    }
    if (world.faults.take('partner', 'declined', ['purchase'])) {
      return failure('TRANSACTION_CANNOT_BE_PROCESSED_AT_THE_MOMENT', 'The transaction cannot be processed');
    }
    return undefined;
  }

  return {
    async topUp(body) {
      const order = readOrder(body);
      if ('errorCode' in order) return order;
      const refusal = refusalOf(order.customIdentifier);
      if (refusal) return refusal;
      await setTimeout(OPERATOR_MS);
      if (!account.debit(order.costMinor))
        return failure('INSUFFICIENT_BALANCE', 'The account balance is too low');
      const topup: Topup = {
        ...order,
        transactionId: FIRST_ID + table.size(),
        status: world.faults.take('partner', 'processing', ['purchase']) ? 'PROCESSING' : 'SUCCESSFUL',
        transactionDate: reloadlyDateTime(),
        balanceInfo: balanceInfo(account, order.costMinor),
      };
      table.put(`${topup.transactionId}`, topup);
      return topup;
    },
    find(transactionId) {
      const topup = table.get(transactionId);
      return topup && settled(topup);
    },
    withCustomIdentifier: (identifier) => byIdentifier(identifier.toLowerCase()).map(settled),
    all: () => table.rows().map(settled),
  };
}

type Order = Pick<
  Topup,
  'customIdentifier' | 'operatorId' | 'operatorName' | 'recipientPhone' | 'costMinor' | 'deliveredMinor'
>;

function readOrder(body: Record<string, unknown>): Order | ReloadlyFailure {
  const { recipientPhone, operatorId, amount, useLocalAmount = false, customIdentifier = '' } = body;
  const phone = (recipientPhone ?? {}) as Record<string, unknown>;
  const operator = findOperator(Number(operatorId));
  if (!operator) return failure('OPERATOR_NOT_FOUND', 'The operator does not exist');
  if (phone['countryCode'] !== 'BD') return failure('COUNTRY_NOT_SUPPORTED', 'The country is not supported');
  const number = typeof phone['number'] === 'string' ? phone['number'] : '';
  if (!detectOperator(number) || !/^\+?\d{10,13}$/.test(number))
    return failure('INVALID_RECIPIENT_PHONE', 'The recipient phone is not valid');
  const askedMinor = parseAmount(amount);
  if (!askedMinor) return failure('INVALID_AMOUNT', 'The amount is not valid');
  const deliveredMinor = useLocalAmount === true ? askedMinor : askedMinor * TAKA_PER_DOLLAR;
  if (deliveredMinor < MIN_LOCAL_MINOR || deliveredMinor > MAX_LOCAL_MINOR) {
    return failure('INVALID_AMOUNT_FOR_OPERATOR', 'The amount is outside the range of this operator');
  }
  return {
    customIdentifier: typeof customIdentifier === 'string' ? customIdentifier : '',
    operatorId: operator.operatorId,
    operatorName: operator.name,
    recipientPhone: number.replaceAll(/\D/g, ''),
    costMinor: useLocalAmount === true ? Math.ceil(askedMinor / TAKA_PER_DOLLAR) : askedMinor,
    deliveredMinor,
  };
}

export function describeTopup(topup: Topup) {
  return {
    transactionId: topup.transactionId,
    status: topup.status,
    operatorTransactionId:
      topup.status === 'SUCCESSFUL' ? `OP${topup.transactionId}${randomDigits(4)}` : null,
    customIdentifier: topup.customIdentifier === '' ? null : topup.customIdentifier,
    recipientPhone: topup.recipientPhone,
    recipientEmail: null,
    senderPhone: null,
    countryCode: 'BD',
    operatorId: topup.operatorId,
    operatorName: topup.operatorName,
    discount: 0,
    discountCurrencyCode: 'USD',
    requestedAmount: wireNumber(topup.costMinor),
    requestedAmountCurrencyCode: 'USD',
    deliveredAmount: wireNumber(topup.deliveredMinor),
    deliveredAmountCurrencyCode: 'BDT',
    transactionDate: topup.transactionDate,
    pinDetail: null,
    balanceInfo: topup.balanceInfo,
  };
}
