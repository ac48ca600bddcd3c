import { Type } from 'typebox';

import { AppError, fieldError } from '../../platform/errors.ts';
import { answer, endpoint } from '../../platform/http/endpoint.ts';
import type { Answer, Endpoint } from '../../platform/http/endpoint.ts';
import { parseMinor } from '../../platform/money.ts';
import { initiatePayment } from './sessions/initiate-payment.ts';
import type { InitiatePaymentDeps, InitiatePaymentInput } from './sessions/initiate-payment.ts';
import { findOwnPayment, findPaymentStatus } from './payment-store.ts';
import {
  methodSchema,
  openedPaymentSchema,
  paymentStatusSchema,
  toPaymentStatusWire,
} from './payment-wire.ts';
import type { PaymentStatusWire } from './payment-wire.ts';
import { verifyPayment } from './verify-payment.ts';
import type { VerifyPaymentDeps, VerifyRequest } from './verify-payment.ts';

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
        if (!row) throw paymentNotFound();
        return toPaymentStatusWire(row);
      },
    }),
  ];
}

const opened = { message: 'Payment session opened' };

/** Customers having one of their payments asked about now, whatever callbacks came or did not. */
export function verificationRoutes(deps: VerifyPaymentDeps): Endpoint[] {
  const multiWallet = deps.gateways.find('multi_wallet');
  const common = { access: 'client', tag, data: paymentStatusSchema, errors: ['NOT_FOUND'] } as const;
  const reference = Type.String({
    maxLength: 100,
    description: 'transactionId, or the reference the gateway knows',
  });
  const verify = endpoint({
    ...common,
    method: 'POST',
    path: '/payments/:transactionId/verify',
    summary: 'Ask the gateway now what became of one of my payments',
    description:
      'A payment that is still open stays so. Asked at most every two seconds, however often this is called.',
    params: Type.Object({ transactionId: reference }),
    handle: ({ caller, params }) =>
      verifyOwn(
        deps,
        { reference: params.transactionId, userId: caller.userId, gateway: null },
        { askedBy: 'customer' },
      ),
  });
  if (!multiWallet) return [verify];
  const { name: gateway, segment } = multiWallet;
  const confirm = endpoint({
    ...common,
    method: 'GET',
    path: `/payments/${segment}/confirm/:invoiceNumber`,
    summary: 'Verify one of my payments through this gateway again, as its callback would',
    description: 'While the gateway cannot be asked it answers 200 with the state as it then is.',
    params: Type.Object({ invoiceNumber: reference }),
    handle: ({ caller, params }) =>
      verifyOwn(
        deps,
        { reference: params.invoiceNumber, userId: caller.userId, gateway },
        // The callback transition rules apply, to a callback that says nothing.
        { askedBy: 'confirm', claims: 'unclear' },
      ),
  });
  return [verify, confirm];
}

async function verifyOwn(
  deps: VerifyPaymentDeps,
  wanted: Parameters<typeof findOwnPayment>[1],
  how: Pick<VerifyRequest, 'askedBy' | 'claims'>,
): Promise<Answer<PaymentStatusWire>> {
  const payment = await findOwnPayment(deps.db, wanted);
  if (!payment) throw paymentNotFound();
  await verifyPayment(deps, { paymentId: payment.id, ...how });
  const row = await findPaymentStatus(deps.db, payment.transaction_id, wanted.userId);
  if (!row) throw paymentNotFound();
  return answer(toPaymentStatusWire(row), { message: `Payment is ${row.status}` });
}

const paymentNotFound = (): AppError => new AppError('NOT_FOUND', 'There is no such payment');

function toInput(userId: number, orderId: number, body: InitiateBody): InitiatePaymentInput {
  const amountMinor = body.amount === undefined ? undefined : parseMinor(body.amount);
  if (body.amount !== undefined && amountMinor === undefined) {
    throw fieldError('amount', 'amount must be a number with at most two decimals');
  }
  const { method, currency, description } = body;
  return { userId, orderId, amountMinor, method, currency, description };
}
