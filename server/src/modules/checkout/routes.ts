import { Type } from 'typebox';

import { answer, endpoint } from '../../platform/http/endpoint.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { fieldError } from '../../platform/errors.ts';
import { isEmailAddress } from '../catalogue/index.ts';
import { orderSchema, readOrder } from '../orders/index.ts';
import { methodSchema, openedPaymentSchema } from '../payments/index.ts';
import { placeOrder } from './place-order.ts';
import type { PlaceOrderDeps } from './place-order.ts';
import { cancelOrder } from './release-order.ts';
import type { ReleaseOrderDeps } from './release-order.ts';

const tag = 'Orders';

const fulfillmentInputSchema = Type.Record(
  Type.String({ maxLength: 64 }),
  Type.Union([Type.String({ maxLength: 1000 }), Type.Number(), Type.Boolean()]),
  { description: 'The product’s identifier key and its supporting fields' },
);

const placeOrderSchema = Type.Object({
  items: Type.Array(
    Type.Object({
      variant_id: Type.Integer({ minimum: 1 }),
      quantity: Type.Integer({ minimum: 1, maximum: 100 }),
      fulfillment_input: Type.Optional(fulfillmentInputSchema),
    }),
    { minItems: 1, maxItems: 20 },
  ),
  payment_method: Type.Optional(methodSchema),
  init_payment: Type.Optional(Type.Boolean({ default: true })),
  recipient_email: Type.Optional(
    Type.String({ maxLength: 254, description: 'For e-mail products that name none' }),
  ),
  discount_code: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
});

export function checkoutRoutes(deps: PlaceOrderDeps & ReleaseOrderDeps): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/orders',
      access: 'client',
      limits: [{ name: 'order-create', per: 'caller', requests: 30, windowSeconds: 60 }],
      summary: 'Create an order and open its payment session',
      description: 'Reserves the units for the order. Without `Idempotency-Key` two calls are two orders.',
      tag,
      body: placeOrderSchema,
      data: Type.Interface([orderSchema], { payment: Type.Optional(openedPaymentSchema) }),
      status: 201,
      errors: ['NOT_FOUND', 'CONFLICT', 'BAD_GATEWAY'],
      idempotent: true,
      handle: async ({ caller, body }) => {
        const recipientEmail = body.recipient_email?.trim() || undefined;
        if (recipientEmail !== undefined && !isEmailAddress(recipientEmail)) {
          throw fieldError('recipient_email', 'recipient_email must be a valid e-mail address');
        }
        const placed = await placeOrder(deps, {
          userId: caller.userId,
          items: body.items.map((item) => ({
            variantId: item.variant_id,
            quantity: item.quantity,
            fulfillmentInput: textValues(item.fulfillment_input ?? {}),
          })),
          paymentMethod: body.payment_method,
          initPayment: body.init_payment ?? true,
          recipientEmail,
          discountCode: body.discount_code,
        });
        return answer(placed, { message: `Order ${placed.order_number} created` });
      },
    }),
    endpoint({
      method: 'POST',
      path: '/orders/:id/cancel',
      access: 'client',
      summary: 'Cancel one of my unpaid orders; its units go back at once',
      tag,
      params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
      data: orderSchema,
      errors: ['NOT_FOUND', 'BAD_REQUEST'],
      handle: async ({ caller, params }) => {
        await cancelOrder(deps, { userId: caller.userId, orderId: params.id });
        return answer(await readOrder(deps, { userId: caller.userId, orderId: params.id }), {
          message: 'Order cancelled',
        });
      },
    }),
  ];
}

function textValues(values: Readonly<Record<string, string | number | boolean>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}
