import type { Tx } from '../../platform/db/database.ts';
import type { Random } from '../../platform/random.ts';
import { listDispatchedItems } from '../fulfillment/index.ts';
import { listOrderItems, lockOrder, orderNotFound } from '../orders/index.ts';
import type { OrderItemRow, OrderRow } from '../orders/index.ts';
import { listPaymentsOfOrder } from '../payments/index.ts';
import { somebodyElseAtWork, stillAutomatic } from './errors.ts';
import { checkRecoveryGuards } from './guard-rules.ts';
import { claimRecovery } from './recovery-store.ts';

export interface RecoveryRequest {
  readonly orderId: number;
  readonly adminId: number;
  readonly notes: string | null;
}

export interface OpenRecovery {
  readonly order: OrderRow;
  readonly items: readonly OrderItemRow[];
  /** Proof of the claim on the order, to end it. */
  readonly token: string;
  readonly correlationId: string;
}

/** Longer than the slowest e-mail; a partner's call asks for its own. */
const CLAIM_SECONDS = 60;

export interface RecoveryScope {
  readonly itemIds: readonly number[];
  readonly hasCodes: boolean;
  readonly claimSeconds?: number;
  /** Whether an order may be taken that the service is still working on by itself. */
  readonly mayBeAutomatic?: boolean;
}

/**
 * Locks the order, checks the guards and takes the order for this operator until `endRecovery`: of two operators one
 * wins. Nothing else has been written when it throws.
 *
 * @throws NOT_FOUND, BAD_REQUEST and CONFLICT as interface part 7 orders them.
 */
export async function openRecovery(
  tx: Tx,
  deps: { readonly random: Random },
  wanted: RecoveryRequest & RecoveryScope,
): Promise<OpenRecovery> {
  const { orderId, itemIds, hasCodes } = wanted;
  const [order, items, payments, dispatched] = await Promise.all([
    lockOrder(tx, orderId),
    listOrderItems(tx, [orderId]),
    listPaymentsOfOrder(tx, orderId),
    listDispatchedItems(tx, itemIds),
  ]);
  if (!order) throw orderNotFound();
  const facts = { order, items, payments, dispatched, wanted: itemIds, hasCodes };
  const refused = checkRecoveryGuards(facts);
  if (refused) throw refused;
  if (order.status === 'PENDING' && wanted.mayBeAutomatic !== true) throw stillAutomatic(order.order_number);
  const token = deps.random.uuid();
  const seconds = wanted.claimSeconds ?? CLAIM_SECONDS;
  if (!(await claimRecovery(tx, { orderId, token, adminId: wanted.adminId, seconds }))) {
    throw somebodyElseAtWork(order.order_number);
  }
  return { order, items, token, correlationId: deps.random.uuid() };
}
