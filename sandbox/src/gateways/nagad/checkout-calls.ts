import { parseAmount } from '../../amount.ts';
import { dhakaDigits, parseDhakaDigits } from '../../dhaka-time.ts';
import type { World } from '../../world.ts';
import type { Orders } from './orders.ts';
import { Refusal } from './refusal.ts';
import { seal, unseal } from './sealed-text.ts';
import type { SealKeys, SealedText } from './sealed-text.ts';

const TARGET = 'wallet_direct';
const CLOCK_TOLERANCE_MS = 60 * 60 * 1000;
const TAKA = '050';

export interface CheckoutCalls {
  initialize(path: { merchantId: string; orderId: string }, body: SealedText): SealedText;
  complete(paymentReferenceId: string, body: CompleteBody): object;
}

export interface CompleteBody extends SealedText {
  merchantCallbackURL: string;
  additionalMerchantInfo?: object | null;
}

/** The two calls that open a payment: each carries what the other side said before, encrypted. */
export function createCheckoutCalls(world: World, orders: Orders, keys: SealKeys): CheckoutCalls {
  const { merchantId: ourMerchant } = world.credentials.walletDirect;

  function opened(sealed: SealedText): Record<string, unknown> {
    const inside = unseal(sealed, keys);
    if (!inside)
      throw new Refusal(
        400,
        'INVALID_SIGNATURE',
        'Sensitive data could not be decrypted or its signature is wrong',
      );
    return inside;
  }

  return {
    initialize({ merchantId, orderId }, body) {
      const inside = opened(body);
      if (
        merchantId !== ourMerchant ||
        inside['merchantId'] !== merchantId ||
        inside['orderId'] !== orderId
      ) {
        throw new Refusal(400, 'INVALID_MERCHANT', 'Merchant or order does not match');
      }
      if (!/^[A-Za-z0-9]{1,20}$/.test(orderId))
        throw new Refusal(400, 'INVALID_ORDER_ID', 'Order id must be alphanumeric');
      if (!isNow(inside['datetime']))
        throw new Refusal(400, 'INVALID_DATETIME', 'datetime must be the present time in Dhaka');
      if (typeof inside['challenge'] !== 'string')
        throw new Refusal(400, 'INVALID_CHALLENGE', 'A challenge is required');
      if (orders.withOrderId(orderId)) throw new Refusal(409, 'DUPLICATE_ORDER', 'Order id has been used');
      const { paymentReferenceId, challenge } = orders.open(merchantId, orderId);
      return seal({ paymentReferenceId, acceptDateTime: dhakaDigits(), challenge }, keys);
    },

    complete(paymentReferenceId, body) {
      const order = orders.find(paymentReferenceId);
      if (!order) throw new Refusal(404, 'PAYMENT_NOT_FOUND', 'Payment reference is unknown');
      const inside = opened(body);
      const amountMinor = parseAmount(inside['amount']);
      const matches =
        inside['merchantId'] === order.merchantId &&
        inside['orderId'] === order.orderId &&
        inside['challenge'] === order.challenge;
      if (!matches) throw new Refusal(400, 'INVALID_CHALLENGE', 'Order or challenge does not match');
      if (!amountMinor || typeof inside['amount'] !== 'string' || inside['currencyCode'] !== TAKA) {
        throw new Refusal(400, 'INVALID_AMOUNT', 'Amount or currency is not valid');
      }
      if (!URL.canParse(body.merchantCallbackURL))
        throw new Refusal(400, 'INVALID_CALLBACK', 'Callback address is not valid');
      if (order.checkout) throw new Refusal(409, 'ALREADY_COMPLETED', 'Checkout has been completed before');
      if (world.faults.take(TARGET, 'no_url', ['init'])) return { callBackUrl: '', status: 'Failed' };
      const info = body.additionalMerchantInfo;
      const additionalMerchantInfo = info ? JSON.stringify(info) : null;
      const checkout = {
        amount: inside['amount'],
        amountMinor,
        callbackUrl: body.merchantCallbackURL,
        additionalMerchantInfo,
      };
      orders.save({ ...order, checkout });
      return { callBackUrl: `${world.url()}/check-out/${paymentReferenceId}`, status: 'Success' };
    },
  };
}

/** A clock set to UTC is six hours off, and refused. */
function isNow(digits: unknown): boolean {
  const at = typeof digits === 'string' ? parseDhakaDigits(digits) : undefined;
  return at !== undefined && Math.abs(at.getTime() - Date.now()) < CLOCK_TOLERANCE_MS;
}
