import type { Tx } from '../../platform/db/database.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { recordEvents } from '../events/index.ts';
import type { NewEvent } from '../events/index.ts';
import { fulfillOrderJob, fulfillOrderKey } from '../orders/index.ts';
import type { OrderRow } from '../orders/index.ts';

/**
 * Gives an order that is being paid what it holds and queues its letter, or undefined where a job has to see to it. Sends
 * all its statements at once and needs none of their answers.
 */
export type HandOver = (order: OrderRow) => (() => Promise<unknown>) | undefined;

/** Something is wrong with handing over, not with the payment: nothing was written. */
export class HandOverError extends Error {
  constructor(cause: unknown) {
    super('The order could not be handed over', { cause });
    this.name = 'HandOverError';
  }
}

export function failHandOver(cause: unknown): never {
  throw new HandOverError(cause);
}

export interface Delivery {
  readonly order: OrderRow;
  /** The fact that made it paid; none where nothing was to be paid. */
  readonly succeeded?: NewEvent;
  readonly handOver?: (() => Promise<unknown>) | undefined;
}

/** The statements that have a paid order delivered: at once where it holds all it was sold, else by a job. */
export function askForDelivery(tx: Tx, { order, succeeded, handOver }: Delivery): Promise<unknown>[] {
  const data = { order_id: order.id, order_number: order.order_number, total_minor: order.total_minor };
  return [
    recordEvents(tx, [
      ...(succeeded ? [succeeded] : []),
      { type: 'order.paid', stream: `order:${order.id}`, data },
    ]),
    handOver
      ? handOver().catch(failHandOver)
      : enqueue(tx, fulfillOrderJob.of({ orderId: order.id }), { key: fulfillOrderKey(order.id) }),
  ];
}
