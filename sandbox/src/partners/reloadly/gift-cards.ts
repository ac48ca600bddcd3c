import { setTimeout } from 'node:timers/promises';
import { parseAmount } from '../../amount.ts';
import type { World } from '../../world.ts';
import type { Account } from '../account.ts';
import { openVoucherSource } from '../voucher-source.ts';
import type { IssuedCode } from '../voucher-source.ts';
import { findProduct, sellsAt } from './products.ts';
import type { GiftProduct } from './products.ts';
import { failure, reloadlyDateTime } from './reloadly-error.ts';
import type { ReloadlyFailure } from './reloadly-error.ts';
import { balanceInfo, wireNumber } from './wire-shapes.ts';

export interface GiftOrder {
  transactionId: number;
  status: 'PROCESSING' | 'SUCCESSFUL';
  customIdentifier: string;
  productId: number;
  quantity: number;
  /** US cents. */
  unitMinor: number;
  recipientEmail: string | null;
  cards: IssuedCode[];
  createdTime: string;
  balanceInfo: object;
}

export interface GiftCards {
  order(body: Record<string, unknown>): Promise<GiftOrder | ReloadlyFailure>;
  /** What was processing is settled by the time somebody asks. */
  find(transactionId: string): GiftOrder | undefined;
  withCustomIdentifier(customIdentifier: string): GiftOrder[];
  all(): GiftOrder[];
}

const FIRST_ID = 27_000;
const IDENTIFIER_LIMIT = 150;
const QUANTITY_LIMIT = 10;
/** Cards are made on demand, and meanwhile a second order with the same identifier slips through. */
const SUPPLIER_MS = 20;

export function openGiftCards(world: World, account: Account): GiftCards {
  const table = world.ledger.table<GiftOrder>('partner/reloadly_orders');
  const byIdentifier = table.indexBy((order) => order.customIdentifier.toLowerCase() || undefined);
  const issueCodes = openVoucherSource(world);

  function settled(order: GiftOrder): GiftOrder {
    if (order.status !== 'PROCESSING' || world.faults.take('partner', 'processing', ['query'])) return order;
    const done: GiftOrder = { ...order, status: 'SUCCESSFUL' };
    table.put(`${done.transactionId}`, done);
    return done;
  }

  function refusalOf(identifier: string): ReloadlyFailure | undefined {
    if (identifier.length > IDENTIFIER_LIMIT)
      return failure('INVALID_INPUT_PROVIDED', 'customIdentifier is too long');
    if (identifier !== '' && byIdentifier(identifier.toLowerCase()).length > 0) {
      return failure('CUSTOM_IDENTIFIER_ALREADY_USED', 'The custom identifier has been used already');
    }
    if (world.faults.take('partner', 'out_of_stock', ['purchase']))
      return failure('OUT_OF_STOCK', 'The product is out of stock');
    if (world.faults.take('partner', 'declined', ['purchase'])) {
      return failure('TRANSACTION_CANNOT_BE_PROCESSED_AT_THE_MOMENT', 'The transaction cannot be processed');
    }
    return undefined;
  }

  return {
    async order(body) {
      const wanted = readOrder(body);
      if ('errorCode' in wanted) return wanted;
      const refusal = refusalOf(wanted.customIdentifier);
      if (refusal) return refusal;
      await setTimeout(SUPPLIER_MS);
      const costMinor = wanted.unitMinor * wanted.quantity;
      if (!account.debit(costMinor)) return failure('INSUFFICIENT_BALANCE', 'The account balance is too low');
      const order: GiftOrder = {
        ...wanted,
        transactionId: FIRST_ID + table.size(),
        status: world.faults.take('partner', 'processing', ['purchase']) ? 'PROCESSING' : 'SUCCESSFUL',
        cards: issueCodes(wanted.quantity),
        createdTime: reloadlyDateTime(),
        balanceInfo: balanceInfo(account, costMinor),
      };
      table.put(`${order.transactionId}`, order);
      return order;
    },
    find(transactionId) {
      const order = table.get(transactionId);
      return order && settled(order);
    },
    withCustomIdentifier: (identifier) => byIdentifier(identifier.toLowerCase()).map(settled),
    all: () => table.rows().map(settled),
  };
}

type Wanted = Pick<GiftOrder, 'customIdentifier' | 'productId' | 'quantity' | 'unitMinor' | 'recipientEmail'>;

/** A wrong product, price or quantity is told in the message only. */
function readOrder(body: Record<string, unknown>): Wanted | ReloadlyFailure {
  const { productId, quantity, unitPrice, senderName, customIdentifier = '', recipientEmail = null } = body;
  const product = findProduct(Number(productId));
  if (!product) return failure(null, 'Product not found', 404);
  const unitMinor = parseAmount(unitPrice);
  if (!unitMinor || !sellsAt(product, unitMinor))
    return failure(null, 'The unit price is not available for this product');
  if (
    typeof quantity !== 'number' ||
    !Number.isInteger(quantity) ||
    quantity < 1 ||
    quantity > QUANTITY_LIMIT
  ) {
    return failure(null, `The quantity must be from 1 to ${QUANTITY_LIMIT}`);
  }
  if (typeof senderName !== 'string' || senderName === '')
    return failure(null, 'The sender name is required');
  return {
    customIdentifier: typeof customIdentifier === 'string' ? customIdentifier : '',
    productId: product.productId,
    quantity,
    unitMinor,
    recipientEmail: typeof recipientEmail === 'string' ? recipientEmail : null,
  };
}

export function describeOrder(order: GiftOrder) {
  const product: GiftProduct | undefined = findProduct(order.productId);
  const totalMinor = order.unitMinor * order.quantity;
  return {
    transactionId: order.transactionId,
    amount: wireNumber(totalMinor),
    discount: 0,
    currencyCode: 'USD',
    fee: 0,
    smsFee: 0,
    totalFee: 0,
    recipientEmail: order.recipientEmail,
    recipientPhone: null,
    customIdentifier: order.customIdentifier === '' ? null : order.customIdentifier,
    status: order.status,
    product: {
      productId: order.productId,
      productName: product?.productName,
      countryCode: product?.countryCode,
      quantity: order.quantity,
      unitPrice: wireNumber(order.unitMinor),
      totalPrice: wireNumber(totalMinor),
      currencyCode: 'USD',
      brand: product?.brand,
    },
    transactionCreatedTime: order.createdTime,
    preOrdered: false,
    balanceInfo: order.balanceInfo,
  };
}

/** Version 2 of the media type also tells where to redeem. */
export function describeCards(order: GiftOrder, version: 1 | 2) {
  return order.cards.map(({ code, pin }) => ({
    cardNumber: code,
    pinCode: pin,
    ...(version === 2 ? { redemptionUrl: null } : {}),
  }));
}
