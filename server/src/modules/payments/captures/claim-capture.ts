import type { Database, Tx } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { lockOrder } from '../../orders/index.ts';
import type { CallbackClaim, Verification } from '../gateways/gateway.ts';
import { enqueueVerification } from '../jobs.ts';
import {
  findIdleCaptureHolder,
  freeCapture,
  freeUnbegunCapture,
  insertCaptureClaim,
  keepCapture,
} from './capture-store.ts';

export interface CaptureWanted {
  readonly paymentId: number;
  readonly orderId: number;
  /** What the callback says that made us ask, when one did. */
  readonly claims: CallbackClaim | undefined;
}

/**
 * Asks whether this payment may take the money of its order now. At most one session of an order ever does, and none
 * once the order is paid or was cancelled by its customer or an operator: that money lapses at the gateway. A session
 * that the customer left by "cancel" takes it only when its own callback says "success" after all. An order that merely
 * ran out of time may still be paid (decisions 4.5, 4.6).
 */
export async function claimCapture(db: Database, wanted: CaptureWanted): Promise<boolean> {
  const { orderId, paymentId, claims } = wanted;
  if (claims === 'cancel') return false;
  const claim = { paymentId, claimsSuccess: claims === 'success' };
  return inTransaction(db, async (tx) => {
    const [, isClaimed] = await Promise.all([lockOrder(tx, orderId), insertCaptureClaim(tx, claim)]);
    if (isClaimed) return true;
    // Whoever is in the way and has told nothing yet is asked, so that nobody waits for its own schedule.
    const holder = await findIdleCaptureHolder(tx, { orderId, paymentId });
    if (holder !== undefined) await enqueueVerification(tx, holder);
    return false;
  });
}

/** What the gateway's answer means for the capture that the payment holds, in the transaction that applies it. */
export async function followCapture(tx: Tx, paymentId: number, verification: Verification): Promise<void> {
  switch (verification.kind) {
    case 'confirmed':
      // Also where it was too little to pay the order: the money has moved once.
      return keepCapture(tx, paymentId);
    case 'refused':
    case 'cancelled':
      return freeCapture(tx, paymentId);
    case 'processing':
      return verification.isUntouched === true ? freeUnbegunCapture(tx, paymentId) : undefined;
    case 'unknown':
      return undefined;
  }
}
