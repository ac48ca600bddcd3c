import type { Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';
import type { PaymentStatus } from '../payment-states.ts';

// The caller has locked the order, so neither its payment nor its cancelling can come between. One row for each order:
// two sessions cannot both have it. A session whose own result is open keeps it and may be told again, which a gateway
// does once. Another gets it from one that the gateway could not speak of for an hour and still cannot, when it has been
// asked since; and after a day, whatever that may be about: no gateway waits for so long.
const claim = statement(
  'payment_captures_claim',
  `INSERT INTO payment_captures AS held (order_id, payment_id, claimed_until)
   SELECT orders.id, payment.id, now() + interval '1 hour'
   FROM payments AS payment JOIN orders ON orders.id = payment.order_id
   WHERE payment.id = $1 AND payment.status <> 'SUCCEEDED' AND orders.paid_at IS NULL
     AND payment.given_up_at IS NULL AND (payment.status <> 'CANCELLED' OR $2::boolean)
   ON CONFLICT (order_id) DO UPDATE
     SET payment_id = excluded.payment_id, claimed_at = now(),
         claimed_until = GREATEST(held.claimed_until, excluded.claimed_until)
     WHERE held.payment_id = excluded.payment_id
        OR held.claimed_until <= now() - interval '1 day'
        OR held.claimed_until <= now() AND EXISTS (
             SELECT FROM payment_verifications AS asked
             WHERE asked.payment_id = held.payment_id AND asked.occurred_at > held.claimed_until)`,
);

const findIdleHolder = statement(
  'payment_captures_find_idle_holder',
  `SELECT payment_id FROM payment_captures
   WHERE order_id = $1 AND payment_id <> $2 AND claimed_at <= now() - interval '1 minute'
     AND claimed_until < 'infinity'`,
);

const findUnderWay = statement(
  'payment_captures_find_under_way',
  `SELECT FROM payment_captures
   WHERE order_id = $1 AND claimed_at > now() - interval '1 minute' AND claimed_until < 'infinity'`,
);

const free = statement(
  'payment_captures_free',
  "DELETE FROM payment_captures WHERE payment_id = $1 AND claimed_until < 'infinity'",
);

const freeUnbegun = statement(
  'payment_captures_free_unbegun',
  // Within the minute the gateway may still be at it, although it says that it has not begun.
  `DELETE FROM payment_captures
   WHERE payment_id = $1 AND claimed_until < 'infinity' AND claimed_at <= now() - interval '1 minute'`,
);

const keep = statement(
  'payment_captures_keep',
  "UPDATE payment_captures SET claimed_until = 'infinity' WHERE payment_id = $1",
);

const giveUp = statement(
  'payments_give_up',
  `UPDATE payments SET given_up_at = now()
   WHERE order_id = $1 AND status = ANY ($2) AND given_up_at IS NULL`,
);

/** @returns whether the payment may take its order's money now; nobody else may, then. Under the order's lock. */
export async function insertCaptureClaim(
  tx: Tx,
  wanted: { paymentId: number; claimsSuccess: boolean },
): Promise<boolean> {
  return (await tx.query(claim, [wanted.paymentId, wanted.claimsSuccess])).count === 1;
}

/** Another payment that has the order's capture and is not just being told. */
export async function findIdleCaptureHolder(
  tx: Tx,
  other: { orderId: number; paymentId: number },
): Promise<number | undefined> {
  return (await tx.query<{ payment_id: number }>(findIdleHolder, [other.orderId, other.paymentId])).rows[0]
    ?.payment_id;
}

/** Whether a gateway is being told at this moment to take the order's money. Under the order's lock. */
export async function isBeingCharged(tx: Tx, orderId: number): Promise<boolean> {
  return (await tx.query(findUnderWay, [orderId])).count > 0;
}

export async function freeCapture(tx: Tx, paymentId: number): Promise<void> {
  await tx.query(free, [paymentId]);
}

export async function freeUnbegunCapture(tx: Tx, paymentId: number): Promise<void> {
  await tx.query(freeUnbegun, [paymentId]);
}

export async function keepCapture(tx: Tx, paymentId: number): Promise<void> {
  await tx.query(keep, [paymentId]);
}

/** An order's sessions in these states take no money any more that still waits for our word. */
export async function giveUpSessions(
  tx: Tx,
  orderId: number,
  statuses: readonly Exclude<PaymentStatus, 'SUCCEEDED'>[],
): Promise<void> {
  await tx.query(giveUp, [orderId, statuses]);
}
