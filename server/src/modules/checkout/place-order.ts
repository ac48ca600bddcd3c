import type { Tx } from '../../platform/db/database.ts';
import { AppError, fieldError } from '../../platform/errors.ts';
import { createOrder, readOrder, toOrderWire } from '../orders/index.ts';
import type {
  CreatedOrder,
  CreateOrderDeps,
  CreateOrderInput,
  OrderRow,
  OrderWire,
} from '../orders/index.ts';
import { beginPayment, gatewayFor, initiatePayment, openSession } from '../payments/index.ts';
import type { ConfiguredGateway, InitiatePaymentDeps, OpenedPayment } from '../payments/index.ts';
import type { SecretBox } from '../../platform/secret-box.ts';

export interface PlaceOrderDeps extends CreateOrderDeps, InitiatePaymentDeps {
  readonly box: SecretBox;
}

export interface PlaceOrderInput extends CreateOrderInput {
  readonly initPayment: boolean;
}

export type PlacedOrder = OrderWire & { readonly payment?: OpenedPayment };

/**
 * Creates an order and, unless told not to, opens its payment session. The payment is written with the order, the
 * session is opened after it, since the gateway must not be called inside the transaction. When the session fails the
 * order stays and can be initiated again.
 *
 * @throws what createOrder, openSession and initiatePayment throw; VALIDATION_ERROR when a session is wanted without a
 * method, or with one that no gateway serves.
 */
export async function placeOrder(deps: PlaceOrderDeps, input: PlaceOrderInput): Promise<PlacedOrder> {
  if (!input.initPayment) {
    const { order, items } = await createOrder(deps, input);
    return toOrderWire({ order, items, vouchers: [] });
  }
  const gateway = offeredGateway(deps, input.paymentMethod);
  const created = await createOrder(deps, input, (tx, order) =>
    beginUnlessFree(deps, tx, { order, gateway }),
  );
  const { order, items, also: payment, customer } = created;
  if (!payment) return settleFreeOrder(deps, input, created);
  const opened = await orNameOrder(order, openSession(deps, { order, payment, gateway, customer }));
  return { ...toOrderWire({ order: { ...order, status: 'PENDING' }, items, vouchers: [] }), payment: opened };
}

function beginUnlessFree(
  deps: PlaceOrderDeps,
  tx: Tx,
  { order, gateway }: { order: OrderRow; gateway: ConfiguredGateway },
) {
  if (order.total_minor === 0) return undefined;
  return beginPayment(deps, tx, { order, gateway, method: order.payment_method ?? gateway.method });
}

/** Nothing to pay: it is paid at once, without a gateway, and what that did is read back. */
async function settleFreeOrder(
  deps: PlaceOrderDeps,
  { userId, paymentMethod }: PlaceOrderInput,
  { order }: Pick<CreatedOrder, 'order'>,
): Promise<PlacedOrder> {
  const asOrdered = { amountMinor: undefined, currency: undefined, description: undefined };
  const wanted = { orderId: order.id, userId, method: paymentMethod, ...asOrdered };
  const payment = await orNameOrder(order, initiatePayment(deps, wanted));
  return { ...(await readOrder(deps, { userId, orderId: order.id })), payment };
}

async function orNameOrder<Value>(order: OrderRow, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof AppError ? afterOrder(error, order) : error;
  }
}

/** The order is there whatever became of its session: the answer names it, and the key is used up. */
function afterOrder(error: AppError, order: OrderRow): AppError {
  const { code, message, fields, retryAfterSeconds } = error;
  return new AppError(code, message, {
    data: { order_id: order.id, order_number: order.order_number, ...error.data },
    ...(fields ? { fields } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    cause: error,
    hasEffect: true,
  });
}

/** Before anything is written: an order nobody can pay would only hold stock. */
function offeredGateway(deps: PlaceOrderDeps, method: string | undefined): ConfiguredGateway {
  if (method === undefined)
    throw fieldError('payment_method', 'payment_method is required to open a payment session');
  return gatewayFor(deps.gateways, { method, field: 'payment_method' });
}
