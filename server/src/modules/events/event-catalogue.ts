import { Type } from 'typebox';
import type { Static, TObject } from 'typebox';

const id = Type.Integer({ minimum: 1 });
const amountMinor = Type.Integer({ minimum: 0, description: 'In hundredths of the currency' });
const count = Type.Integer({ minimum: 0 });
/** A word of a fixed vocabulary, an identifier or a number of ours; nothing that somebody typed. */
const word = Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,64}$', maxLength: 64 });
const nullableWord = Type.Union([word, Type.Null()]);
const nullableId = Type.Union([id, Type.Null()]);

const order = { order_id: id, order_number: word };
const payment = {
  payment_id: id,
  order_id: id,
  transaction_id: Type.Optional(word),
  method: Type.Optional(nullableWord),
  amount_minor: Type.Optional(amountMinor),
  currency: Type.Optional(word),
};
const failureReason = Type.Optional(nullableWord);
const orderExample = { order_id: 17, order_number: 'VC-261121-7KQ2M9XA' };
const paymentExample = {
  payment_id: 23,
  order_id: 17,
  transaction_id: 'WTK-4F8Q2N7RTX',
  method: 'gw_wallet_tokenized',
  amount_minor: 49_900,
  currency: 'BDT',
};
const closed = { additionalProperties: false } as const;

/**
 * Every kind of fact other systems can be told (decisions part 9), past tense, stable names. `data` is all that leaves
 * with an event of the kind: a field that is not declared here is not sent. No field for text that somebody typed, and
 * none for a voucher code, pin, password, one-time password or token: a test holds the list to that.
 */
export const eventCatalogue = {
  'order.created': {
    meaning: 'A customer ordered; the units are held.',
    data: Type.Object(
      { ...order, total_minor: amountMinor, discount_minor: Type.Optional(amountMinor), currency: word },
      closed,
    ),
    example: { ...orderExample, total_minor: 49_900, discount_minor: 0, currency: 'BDT' },
  },
  'order.paid': {
    meaning: 'The order’s money was verified with the gateway, or nothing was to be paid.',
    data: Type.Object({ ...order, total_minor: amountMinor }, closed),
    example: { ...orderExample, total_minor: 49_900 },
  },
  'order.fulfilled': {
    meaning: 'Every item was delivered and the customer was told.',
    data: Type.Object({ ...order, items: Type.Optional(count) }, closed),
    example: { ...orderExample, items: 1 },
  },
  'order.needs_attention': {
    meaning: 'A paid order could not be delivered by itself: an operator has to act.',
    data: Type.Object({ ...order, reason: word }, closed),
    example: { ...orderExample, reason: 'fulfillment_failed' },
  },
  'order.cancelled': {
    meaning: 'An unpaid order ended. A verified payment can still bring it back.',
    data: Type.Object({ ...order, reason: word }, closed),
    example: { ...orderExample, reason: 'payment_cancelled' },
  },
  'payment.succeeded': {
    meaning: 'The gateway confirmed the money.',
    data: Type.Object({ ...payment, failure_reason: failureReason }, closed),
    example: { ...paymentExample, failure_reason: null },
  },
  'payment.failed': {
    meaning: 'The payment ended without money, or nobody could say; `failure_reason` tells which.',
    data: Type.Object({ ...payment, failure_reason: nullableWord }, closed),
    example: { ...paymentExample, failure_reason: 'VERIFICATION_UNAVAILABLE' },
  },
  'payment.cancelled': {
    meaning: 'The customer turned back at the gateway.',
    data: Type.Object({ ...payment, failure_reason: failureReason }, closed),
    example: { ...paymentExample, failure_reason: null },
  },
  'payment.refunded': {
    meaning: 'Money went back to the customer.',
    data: Type.Object(
      { ...payment, refund_id: Type.Optional(id), by_hand: Type.Optional(Type.Boolean()) },
      closed,
    ),
    example: { ...paymentExample, refund_id: 3, by_hand: false },
  },
  'fulfillment.attempted': {
    meaning: 'A delivery was tried; `type` and `status` are those of the attempt.',
    data: Type.Object(
      {
        order_id: id,
        order_number: Type.Optional(word),
        items: Type.Optional(count),
        type: word,
        status: word,
      },
      closed,
    ),
    example: { ...orderExample, items: 1, type: 'AUTO', status: 'SUCCESS' },
  },
  'voucher.low_stock': {
    meaning: 'A variant is running out of codes.',
    data: Type.Object({ variant_id: id, available: Type.Optional(count) }, closed),
    example: { variant_id: 5, available: 9 },
  },
  'redemption.redeemed': {
    meaning: 'A promotional code was handed out.',
    data: Type.Object({ campaign_id: id, redemption_code_id: Type.Optional(nullableId) }, closed),
    example: { campaign_id: 2, redemption_code_id: 1441 },
  },
  'alert.opened': {
    meaning: 'Operators were alerted.',
    data: Type.Object(
      { alert_id: id, alert_type: word, severity: word, order_id: Type.Optional(nullableId) },
      closed,
    ),
    example: { alert_id: 8, alert_type: 'fulfillment_failed', severity: 'critical', order_id: 17 },
  },
  'alert.resolved': {
    meaning: 'The cause of an alert is gone.',
    data: Type.Object({ alert_id: id, alert_type: word, order_id: Type.Optional(nullableId) }, closed),
    example: { alert_id: 8, alert_type: 'fulfillment_failed', order_id: 17 },
  },
} as const satisfies Readonly<
  Record<string, { meaning: string; data: TObject; example: Readonly<Record<string, unknown>> }>
>;

export type EventType = keyof typeof eventCatalogue;
/** All that an event of this kind carries. */
export type EventFields<Type extends EventType> = Readonly<Static<(typeof eventCatalogue)[Type]['data']>>;

export const eventTypes = Object.keys(eventCatalogue) as readonly EventType[];
export const isEventType = (text: string): text is EventType => Object.hasOwn(eventCatalogue, text);
