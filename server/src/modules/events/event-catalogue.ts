/**
 * Every kind of fact other systems can be told (decisions part 9), past tense, stable names. `data` lists what each
 * event of the kind carries at least; an event without one of them does not compile.
 */
export const eventCatalogue = {
  'order.created': {
    meaning: 'A customer ordered; the units are held.',
    data: ['order_id', 'order_number', 'total_minor', 'currency'],
  },
  'order.paid': {
    meaning: 'The order’s money was verified with the gateway, or nothing was to be paid.',
    data: ['order_id', 'order_number', 'total_minor'],
  },
  'order.fulfilled': {
    meaning: 'Every item was delivered and the customer was told.',
    data: ['order_id', 'order_number'],
  },
  'order.needs_attention': {
    meaning: 'A paid order could not be delivered by itself: an operator has to act.',
    data: ['order_id', 'order_number', 'reason'],
  },
  'order.cancelled': {
    meaning: 'An unpaid order ended. A verified payment can still bring it back.',
    data: ['order_id', 'order_number', 'reason'],
  },
  'payment.succeeded': { meaning: 'The gateway confirmed the money.', data: ['payment_id', 'order_id'] },
  'payment.failed': {
    meaning: 'The payment ended without money, or nobody could say; `failure_reason` tells which.',
    data: ['payment_id', 'order_id', 'failure_reason'],
  },
  'payment.cancelled': {
    meaning: 'The customer turned back at the gateway.',
    data: ['payment_id', 'order_id'],
  },
  'payment.refunded': { meaning: 'Money went back to the customer.', data: ['payment_id', 'order_id'] },
  'fulfillment.attempted': {
    meaning: 'A delivery was tried; `type` and `status` are those of the attempt.',
    data: ['order_id', 'type', 'status'],
  },
  'voucher.low_stock': { meaning: 'A variant is running out of codes.', data: ['variant_id'] },
  'redemption.redeemed': { meaning: 'A promotional code was handed out.', data: ['campaign_id'] },
  'alert.opened': { meaning: 'Operators were alerted.', data: ['alert_id', 'alert_type', 'severity'] },
  'alert.resolved': { meaning: 'The cause of an alert is gone.', data: ['alert_id', 'alert_type'] },
} as const satisfies Readonly<Record<string, { meaning: string; data: readonly string[] }>>;

export type EventType = keyof typeof eventCatalogue;
/** What an event of this kind carries at least. */
export type EventField<Type extends EventType> = (typeof eventCatalogue)[Type]['data'][number];
