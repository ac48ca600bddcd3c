import { printAmount } from '../../amount.ts';
import type { Call } from '../../faults/fault-catalogue.ts';
import type { World } from '../../world.ts';
import { cancelledMinor } from './orders.ts';
import type { Order, Orders } from './orders.ts';
import { Refusal } from './refusal.ts';

const TARGET = 'wallet_direct';
const CALLS: readonly Call[] = ['verify', 'query'];
const STATUS_OF = { success: 'Success', failure: 'Failed', cancel: 'Aborted' } as const;
const SUCCESS_CODE = '000';

/** Plain JSON, neither encrypted nor signed. The amount is echoed whatever the status. */
export function verifyPayment(world: World, orders: Orders, paymentReferenceId: string): object {
  const found = orders.find(paymentReferenceId);
  if (!found) throw new Refusal(404, 'PAYMENT_NOT_FOUND', 'Payment reference is unknown');
  const order = asTold(world, orders, found);
  const status = statusOf(world, orders, order);
  const cancellation = orders.cancellationsOf(paymentReferenceId).at(-1);
  const { amount = '', additionalMerchantInfo = null } = order.checkout ?? {};
  return {
    merchantId: order.merchantId,
    orderId: order.orderId,
    paymentRefId: order.paymentReferenceId,
    amount: order.lie?.amountMinor === undefined ? amount : printAmount(order.lie.amountMinor),
    clientMobileNo: order.outcome === undefined ? null : order.clientMobileNo,
    merchantMobileNo: world.credentials.walletDirect.merchantNumber,
    orderDateTime: `${order.orderDateTime}.0`,
    issuerPaymentDateTime: order.paidAt === undefined ? null : `${order.paidAt}.0`,
    issuerPaymentRefNo: order.issuerPaymentRef ?? null,
    additionalMerchantInfo,
    status,
    statusCode: status === 'Success' ? SUCCESS_CODE : '',
    cancelIssuerDateTime: cancellation ? `${cancellation.issuerDateTime}.0` : null,
    cancelIssuerRefNo: cancellation?.issuerRefNo ?? null,
    serviceType: 'Web',
  };
}

function asTold(world: World, orders: Orders, order: Order): Order {
  if (order.outcome !== 'success' || !order.checkout) return order;
  const lie: NonNullable<Order['lie']> = { ...order.lie };
  if (world.faults.take(TARGET, 'declined', CALLS)) lie.failed = true;
  if (world.faults.take(TARGET, 'wrong_amount', CALLS))
    lie.amountMinor = Math.floor(order.checkout.amountMinor / 2);
  if (Object.keys(lie).length === 0) return order;
  const told = { ...order, lie };
  orders.save(told);
  return told;
}

function statusOf(world: World, orders: Orders, order: Order): string {
  if (world.faults.take(TARGET, 'processing', CALLS)) return 'Pending';
  if (order.outcome === undefined) return order.checkout ? 'Ready' : 'Initiated';
  if (order.lie?.failed) return STATUS_OF.failure;
  const backMinor = cancelledMinor(orders.cancellationsOf(order.paymentReferenceId));
  return backMinor > 0 && backMinor === order.checkout?.amountMinor ? 'Cancelled' : STATUS_OF[order.outcome];
}
