import { AppError, fieldError } from '../../platform/errors.ts';
import { createOrder, readOrder, toOrderWire } from '../orders/index.ts';
import type { CreatedOrder, CreateOrderDeps, CreateOrderInput, OrderWire } from '../orders/index.ts';
import { initiatePayment } from '../payments/index.ts';
import type { InitiatePaymentDeps, OpenedPayment } from '../payments/index.ts';
import type { SecretBox } from '../../platform/secret-box.ts';

export interface PlaceOrderDeps extends CreateOrderDeps, InitiatePaymentDeps {
  readonly box: SecretBox;
}

export interface PlaceOrderInput extends CreateOrderInput {
  readonly initPayment: boolean;
}

export type PlacedOrder = OrderWire & { readonly payment?: OpenedPayment };

/**
 * Creates an order and, unless told not to, opens its payment session: two steps, since the gateway must not be called
 * inside the order's transaction. When the session fails the order stays and can be initiated again.
 *
 * @throws what createOrder and initiatePayment throw; VALIDATION_ERROR when a session is wanted without a method.
 */
export async function placeOrder(deps: PlaceOrderDeps, input: PlaceOrderInput): Promise<PlacedOrder> {
  if (input.initPayment) refuseUnofferedMethod(deps, input.paymentMethod);
  const { order, items } = await createOrder(deps, input);
  if (!input.initPayment) return toOrderWire({ order, items, vouchers: [] });
  const payment = await openSession(deps, order, input);
  // Nothing to pay: it is paid already, and what that did is read back.
  if (payment.status === 'SUCCEEDED') {
    return { ...(await readOrder(deps, { userId: input.userId, orderId: order.id })), payment };
  }
  return { ...toOrderWire({ order: { ...order, status: 'PENDING' }, items, vouchers: [] }), payment };
}

async function openSession(
  deps: PlaceOrderDeps,
  order: CreatedOrder['order'],
  input: PlaceOrderInput,
): Promise<OpenedPayment> {
  try {
    return await initiateFor(deps, order.id, input);
  } catch (error) {
    throw error instanceof AppError ? afterOrder(error, order) : error;
  }
}

/** The order is there whatever became of its session: the answer names it, and the key is used up. */
function afterOrder(error: AppError, order: CreatedOrder['order']): AppError {
  const { code, message, fields, retryAfterSeconds } = error;
  return new AppError(code, message, {
    data: { order_id: order.id, order_number: order.order_number, ...error.data },
    ...(fields ? { fields } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    cause: error,
    hasEffect: true,
  });
}

function initiateFor(deps: PlaceOrderDeps, orderId: number, input: PlaceOrderInput): Promise<OpenedPayment> {
  return initiatePayment(deps, {
    orderId,
    userId: input.userId,
    method: input.paymentMethod,
    amountMinor: undefined,
    currency: undefined,
    description: undefined,
  });
}

/** Before anything is written: an order nobody can pay would only hold stock. */
function refuseUnofferedMethod(deps: PlaceOrderDeps, method: string | undefined): void {
  if (method === undefined)
    throw fieldError('payment_method', 'payment_method is required to open a payment session');
  if (deps.gateways.methods.has(method)) return;
  const offered = [...deps.gateways.methods].join(', ') || 'none';
  const message = `Payment method ${method} is not available; available: ${offered}`;
  throw new AppError('VALIDATION_ERROR', message, { fields: [{ field: 'payment_method', message }] });
}
