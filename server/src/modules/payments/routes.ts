import { Type } from 'typebox';

import { AppError, fieldError } from '../../platform/errors.ts';
import { answer, endpoint } from '../../platform/http/endpoint.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { parseMinor } from '../../platform/money.ts';
import { initiatePayment } from './initiate-payment.ts';
import type { InitiatePaymentDeps, InitiatePaymentInput } from './initiate-payment.ts';
import { findPaymentStatus } from './payment-store.ts';
import {
  methodSchema,
  openedPaymentSchema,
  paymentStatusSchema,
  toPaymentStatusWire,
} from './payment-wire.ts';

const tag = 'Payments';

const initiateFields = {
  amount: Type.Optional(Type.Number({ description: "The order's total; anything else is refused" })),
  currency: Type.Optional(Type.String({ description: 'BDT' })),
  method: Type.Optional(methodSchema),
  description: Type.Optional(Type.String({ maxLength: 200 })),
};

interface InitiateBody {
  readonly amount?: number;
  readonly currency?: string;
  readonly method?: string;
  readonly description?: string;
}

export function paymentRoutes(deps: InitiatePaymentDeps): Endpoint[] {
  const common = {
    access: 'client' as const,
    tag,
    data: openedPaymentSchema,
    errors: ['NOT_FOUND', 'CONFLICT', 'BAD_GATEWAY'] as const,
    idempotent: true,
  };
  return [
    endpoint({
      ...common,
      method: 'POST',
      path: '/payments/initiate/:orderId',
      summary: 'Open a payment session for an order',
      params: Type.Object({ orderId: Type.Integer({ minimum: 1 }) }),
      body: Type.Object(initiateFields),
      handle: async ({ caller, params, body }) =>
        answer(await initiatePayment(deps, toInput(caller.userId, params.orderId, body)), opened),
    }),
    endpoint({
      ...common,
      method: 'POST',
      path: '/payments/initiate',
      summary: 'Open a payment session; the order is named in the body',
      body: Type.Object({ ...initiateFields, orderId: Type.Integer({ minimum: 1 }) }),
      handle: async ({ caller, body }) =>
        answer(await initiatePayment(deps, toInput(caller.userId, body.orderId, body)), opened),
    }),
    endpoint({
      method: 'GET',
      path: '/payments/status/:transactionId',
      access: 'client',
      summary: 'State of a payment and its order, for polling every 2 to 3 seconds',
      tag,
      params: Type.Object({ transactionId: Type.String({ maxLength: 100 }) }),
      data: paymentStatusSchema,
      errors: ['NOT_FOUND'],
      handle: async ({ caller, params }) => {
        const row = await findPaymentStatus(deps.db, params.transactionId, caller.userId);
        if (!row) throw new AppError('NOT_FOUND', 'There is no such payment');
        return toPaymentStatusWire(row);
      },
    }),
  ];
}

const opened = { message: 'Payment session opened' };

function toInput(userId: number, orderId: number, body: InitiateBody): InitiatePaymentInput {
  const amountMinor = body.amount === undefined ? undefined : parseMinor(body.amount);
  if (body.amount !== undefined && amountMinor === undefined) {
    throw fieldError('amount', 'amount must be a number with at most two decimals');
  }
  const { method, currency, description } = body;
  return { userId, orderId, amountMinor, method, currency, description };
}
