import { parseAmount, printAmount } from '../../amount.ts';
import type { World } from '../../world.ts';
import { cancelledMinor } from './orders.ts';
import type { Order, Orders } from './orders.ts';
import { Refusal } from './refusal.ts';
import { seal, unseal } from './sealed-text.ts';
import type { SealKeys, SealedText } from './sealed-text.ts';

/** The vendor's refund: full or partial, never more than was paid, each referenceNo once. */
export function cancelPurchase(
  world: World,
  orders: Orders,
  { order, body, keys }: { order: Order | undefined; body: SealedText; keys: SealKeys },
): SealedText {
  const inside = unseal(body, keys);
  if (!inside)
    throw new Refusal(
      400,
      'INVALID_SIGNATURE',
      'Sensitive data could not be decrypted or its signature is wrong',
    );
  const named = inside['orderId'] ?? inside['paymentRefId'];
  const paidMinor = order?.checkout?.amountMinor;
  if (!order || paidMinor === undefined || (named !== order.orderId && named !== order.paymentReferenceId)) {
    throw new Refusal(404, 'PAYMENT_NOT_FOUND', 'Payment is unknown');
  }
  const { referenceNo } = inside;
  if (typeof referenceNo !== 'string' || referenceNo === '')
    throw new Refusal(400, 'INVALID_REFERENCE', 'referenceNo is required');
  const amountMinor = parseAmount(inside['cancelAmount']);
  if (!amountMinor || parseAmount(inside['originalAmount']) !== paidMinor)
    throw new Refusal(400, 'INVALID_AMOUNT', 'Amount is not valid');
  if (order.outcome !== 'success') throw new Refusal(409, 'INVALID_STATE', 'Payment has not succeeded');
  const earlier = orders.cancellationsOf(order.paymentReferenceId);
  if (earlier.some((cancellation) => cancellation.referenceNo === referenceNo)) {
    throw new Refusal(409, 'DUPLICATE_REFERENCE', 'referenceNo has been used');
  }
  if (cancelledMinor(earlier) + amountMinor > paidMinor)
    throw new Refusal(400, 'AMOUNT_EXCEEDED', 'Amount exceeds the payment');
  if (world.faults.take('wallet_direct', 'declined', ['refund']))
    throw new Refusal(400, 'CANCEL_DECLINED', 'Cancel was declined');
  const { issuerDateTime, issuerRefNo } = orders.addCancellation(order, { referenceNo, amountMinor });
  return seal(
    {
      orderId: order.orderId,
      originalAmount: printAmount(paidMinor),
      cancelAmount: printAmount(amountMinor),
      referenceNo,
      status: 'Cancelled',
      cancelIssuerDateTime: `${issuerDateTime}.0`,
      cancelIssuerRefNo: issuerRefNo,
    },
    keys,
  );
}
