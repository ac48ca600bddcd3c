import type { Database, Reader, Tx } from '../../platform/db/database.ts';
import { inTransaction, readTogether, violatedConstraint } from '../../platform/db/database.ts';
import { AppError, fieldError } from '../../platform/errors.ts';
import type { Random } from '../../platform/random.ts';
import { READABLE_ALPHABET } from '../../platform/random.ts';
import { dhakaYymmdd, secondsAfter } from '../../platform/time.ts';
import type { Clock } from '../../platform/time.ts';
import { checkFulfillmentInput } from '../catalogue/index.ts';
import type { RefuseMethod, VariantForSale } from '../catalogue/index.ts';
import { consumeDiscount, DiscountChangedError, quoteDiscount, tooManyAtOnce } from '../discounts/index.ts';
import type { DiscountQuote } from '../discounts/index.ts';
import { recordEvents } from '../events/index.ts';
import { reserveUnits, StockContendedError, withStockRetries } from '../vouchers/index.ts';
import { outOfStock, variantNotFound } from './errors.ts';
import { hasPaidOrder, insertOrder } from './order-store.ts';
import type { NewOrder, OrderItemRow, OrderRow } from './order-store.ts';
import { totalsOf } from './price-rules.ts';

export interface CreateOrderDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly orderTtlSeconds: number;
  findVariantsForSale(reader: Reader, variantIds: readonly number[]): Promise<VariantForSale[]>;
  findCustomer(reader: Reader, userId: number): Promise<Customer | undefined>;
  readMethodRules(reader: Reader): Promise<RefuseMethod>;
}

/** Who orders, as identity knows them. */
export interface Customer {
  readonly name: string;
  readonly msisdn: string;
  readonly email: string | null;
}

export interface CreateOrderInput {
  readonly userId: number;
  readonly items: readonly {
    readonly variantId: number;
    readonly quantity: number;
    readonly fulfillmentInput: Readonly<Record<string, string>>;
  }[];
  readonly recipientEmail: string | undefined;
  readonly paymentMethod: string | undefined;
  readonly discountCode: string | undefined;
}

export interface CreatedOrder<Also = undefined> {
  readonly order: OrderRow;
  readonly items: OrderItemRow[];
  readonly customer: Customer | undefined;
  /** What `alsoWrite` wrote. */
  readonly also: Also | undefined;
}

/** Writes something about an order in the transaction that makes it, and reads nothing; or has nothing to write. */
export type AlsoWrite<Also> = (tx: Tx, order: OrderRow) => Promise<Also> | undefined;

/** So often is an order priced anew because its discount changed under it. */
const PRICINGS = 5;

/**
 * Creates an order, takes its units out of the stock and the use of its discount, in one transaction (interface
 * part 4, rules 3 to 6).
 *
 * @param alsoWrite something that must be there exactly when the order is.
 * @throws VALIDATION_ERROR for wrong input, with the interface's messages, or a method that operators do not want;
 * NOT_FOUND for a variant that is not for sale; BAD_REQUEST (`DiscountError`) for a code that cannot be used; CONFLICT
 * (`OutOfStockError`) when units are missing. Nothing is written then.
 */
export async function createOrder<Also = undefined>(
  deps: CreateOrderDeps,
  input: CreateOrderInput,
  alsoWrite?: AlsoWrite<Also>,
): Promise<CreatedOrder<Also>> {
  for (let attempt = 1; ; attempt += 1) {
    const { variants, customer, problemWith } = await readGround(deps, input);
    const priced = composeOrder(deps, input, { variants, accountEmail: customer?.email ?? null });
    const quote = await quoteFor(deps, priced, input.discountCode);
    const order = discounted(priced, quote);
    refuseMethod(order, problemWith);
    try {
      const written = await withStockRetries((retry) =>
        inTransaction(deps.db, (tx) => writeOrder(tx, { order, quote, retry, alsoWrite })),
      );
      return { ...written, customer };
    } catch (error) {
      if (!mayTryAgain(error)) throw translated(error);
      if (attempt >= PRICINGS) throw tooManyAtOnce(error);
    }
  }
}

/** Everything an order is made from, but its discount, in one wait. */
function readGround(deps: CreateOrderDeps, input: CreateOrderInput) {
  return readTogether(deps.db, async (reader) => {
    const [variants, customer, problemWith] = await Promise.all([
      deps.findVariantsForSale(reader, [...new Set(input.items.map((item) => item.variantId))]),
      deps.findCustomer(reader, input.userId),
      deps.readMethodRules(reader),
    ]);
    return { variants, customer, problemWith };
  });
}

function refuseMethod({ paymentMethod, totalMinor }: NewOrder, problemWith: RefuseMethod): void {
  if (paymentMethod === null) return;
  const problem = problemWith(paymentMethod, totalMinor);
  if (problem !== undefined) throw fieldError('payment_method', problem);
}

/** The next try has another number (one in 10^11 for two orders of a day), or a price by the rule as it is then. */
function mayTryAgain(error: unknown): boolean {
  return error instanceof DiscountChangedError || violatedConstraint(error) === 'orders__order_number';
}

function translated(error: unknown): unknown {
  if (!(error instanceof StockContendedError)) return error;
  const message = 'Too many people are buying this at once; nothing was ordered';
  return new AppError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 2, cause: error });
}

interface OrderToWrite<Also> {
  readonly order: NewOrder;
  readonly quote: DiscountQuote | undefined;
  readonly retry: number;
  readonly alsoWrite: AlsoWrite<Also> | undefined;
}

async function writeOrder<Also>(
  tx: Tx,
  { order, quote, retry, alsoWrite }: OrderToWrite<Also>,
): Promise<Omit<CreatedOrder<Also>, 'customer'>> {
  const created = await insertOrder(tx, order);
  const { id, order_number: orderNumber, total_minor: totalMinor, currency } = created.order;
  const data = {
    order_id: id,
    order_number: orderNumber,
    total_minor: totalMinor,
    discount_minor: created.order.discount_minor,
    currency,
  };
  // Together in one packet: nothing here depends on what the reservation answers.
  const [reservation, also] = await Promise.all([
    reserveUnits(tx, unitsOf(created.items), { until: order.heldUntil, attempt: retry }),
    alsoWrite?.(tx, created.order),
    recordEvents(tx, [{ type: 'order.created', stream: `order:${id}`, data }]),
  ]);
  if (reservation.kind === 'short') throw outOfStock(reservation.variantId);
  // Last before the commit: everybody with the same code waits from here on.
  if (quote) await consumeDiscount(tx, quote, id);
  return { ...created, also };
}

async function quoteFor(
  deps: CreateOrderDeps,
  order: NewOrder,
  typed: string | undefined,
): Promise<DiscountQuote | undefined> {
  if (typed === undefined) return undefined;
  const wish = {
    code: typed,
    userId: order.userId,
    at: deps.clock.now(),
    paymentMethod: order.paymentMethod ?? undefined,
    items: order.items.map((item) => ({
      variantId: item.variant_id,
      totalMinor: item.unit_price_minor * item.quantity,
    })),
  };
  return quoteDiscount({ db: deps.db, hasPaidOrder }, wish);
}

/** The order with what its discount takes off, each item with its share. */
function discounted(order: NewOrder, quote: DiscountQuote | undefined): NewOrder {
  if (!quote) return order;
  const items = order.items.map((item, index) => ({ ...item, discount_minor: quote.shares[index] ?? 0 }));
  return { ...order, ...totalsOf(linesOf(items), quote.discountMinor), discountCode: quote.code, items };
}

const linesOf = (items: NewOrder['items']) =>
  items.map((item) => ({ unitPriceMinor: item.unit_price_minor, quantity: item.quantity }));

/** The preloaded units of these items, all of them. */
export function unitsOf(items: readonly OrderItemRow[]) {
  return items
    .filter((item) => item.engine === 'PRELOADED')
    .map((item) => ({
      orderItemId: item.id,
      variantId: item.variant_id,
      unitNumbers: Array.from({ length: item.quantity }, (_, index) => index + 1),
    }));
}

function composeOrder(
  deps: CreateOrderDeps,
  input: CreateOrderInput,
  found: { variants: readonly VariantForSale[]; accountEmail: string | null },
): NewOrder {
  const variants = new Map(
    found.variants.filter((variant) => variant.isSellable).map((v) => [v.variantId, v]),
  );
  const lines = input.items.map((item, index) => {
    const variant = variants.get(item.variantId);
    if (!variant) throw variantNotFound(item.variantId);
    return { item, index, variant };
  });
  refuseTooMany(lines);
  const items = lines.map((line) => composeItem(line, input.recipientEmail));
  const now = deps.clock.now();
  const firstEmail = items.find((item) => item.fulfillment_input['email'])?.fulfillment_input['email'];
  const deliveryEmail = input.recipientEmail ?? firstEmail ?? found.accountEmail;
  if (deliveryEmail === null && items.some((item) => item.mode === 'CODE')) {
    throw fieldError('recipient_email', 'recipient_email is required: the codes need an address to go to');
  }
  return {
    orderNumber: `VC-${dhakaYymmdd(now)}-${deps.random.text(READABLE_ALPHABET, 8)}`,
    userId: input.userId,
    currency: 'BDT',
    ...totalsOf(linesOf(items), 0),
    discountCode: null,
    paymentMethod: input.paymentMethod ?? null,
    recipientEmail: input.recipientEmail ?? null,
    deliveryEmail,
    heldUntil: secondsAfter(now, deps.orderTtlSeconds),
    items,
  };
}

type Line = { item: CreateOrderInput['items'][number]; index: number; variant: VariantForSale };

/** Two lines with one variant count together (decisions 4.16). */
function refuseTooMany(lines: readonly Line[]): void {
  const quantities = new Map<number, number>();
  for (const { item, index, variant } of lines) {
    const quantity = (quantities.get(variant.variantId) ?? 0) + item.quantity;
    quantities.set(variant.variantId, quantity);
    if (quantity > variant.maxQuantity) {
      const message = `At most ${variant.maxQuantity} of variant ${variant.variantId} fit in one order`;
      throw fieldError(`items.${index}.quantity`, message);
    }
  }
}

function composeItem(
  { item, index, variant }: Line,
  fallbackEmail: string | undefined,
): NewOrder['items'][number] {
  const checked = checkFulfillmentInput(variant.fulfillment, item.fulfillmentInput, fallbackEmail);
  if (checked.kind === 'refused') {
    throw fieldError(`items.${index}.fulfillment_input.${checked.problem.field}`, checked.problem.message);
  }
  return {
    position: index,
    variant_id: variant.variantId,
    quantity: item.quantity,
    unit_price_minor: variant.priceMinor,
    discount_minor: 0,
    product_name: variant.productName,
    variant_name: variant.variantName,
    engine: variant.engine,
    mode: variant.mode,
    fulfillment_input: checked.input,
  };
}
