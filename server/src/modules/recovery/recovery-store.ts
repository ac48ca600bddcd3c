import type { Tx } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/database.ts';

// A claim that has run out was left by a process that died: the next operator takes it over.
const claim = statement(
  'recovery_claim',
  `INSERT INTO recovery_claims AS held (order_id, token, admin_id, claimed_until)
   VALUES ($1, $2, $3, now() + make_interval(secs => $4))
   ON CONFLICT (order_id) DO UPDATE
     SET token = EXCLUDED.token, admin_id = EXCLUDED.admin_id, claimed_until = EXCLUDED.claimed_until
     WHERE held.claimed_until <= now()`,
);

const end = statement('recovery_end_claim', 'DELETE FROM recovery_claims WHERE order_id = $1 AND token = $2');

export interface RecoveryClaim {
  readonly orderId: number;
  readonly token: string;
  readonly adminId: number;
  readonly seconds: number;
}

/** @returns false when another operator is at work on the order. */
export async function claimRecovery(tx: Tx, wanted: RecoveryClaim): Promise<boolean> {
  const { orderId, token, adminId, seconds } = wanted;
  return (await tx.query(claim, [orderId, token, adminId, seconds])).count === 1;
}

export async function endRecovery(tx: Tx, held: { orderId: number; token: string }): Promise<void> {
  await tx.query(end, [held.orderId, held.token]);
}
