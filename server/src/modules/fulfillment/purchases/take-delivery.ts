import type { Tx } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import type { Clock } from '../../../platform/time.ts';
import { openAlert } from '../../alerts/index.ts';
import type { OrderItemRow, OrderRow } from '../../orders/index.ts';
import { listAssignedUnitNumbers, storeBoughtCode } from '../../vouchers/index.ts';
import type { DeliveredCode } from '../partners/partner.ts';
import { applyPurchaseFact, listPurchasesOfItems } from './purchase-store.ts';
import type { PurchaseChange, PurchaseRow } from './purchase-store.ts';

export interface TakeDeliveryDeps {
  readonly clock: Clock;
  readonly box: SecretBox;
}

export interface Delivery {
  readonly purchase: PurchaseRow;
  readonly order: OrderRow;
  readonly item: OrderItemRow;
  /** None for a credit. */
  readonly codes: readonly DeliveredCode[];
  readonly told: Pick<PurchaseChange, 'response' | 'partnerTransactionId' | 'resolvedBy' | 'resolutionNotes'>;
}

/**
 * The partner delivered: the first code goes to the unit, or, when the unit has been served otherwise meanwhile, into
 * the stock with an alert; whatever came besides is kept too. Nothing that was paid for is thrown away.
 *
 * @returns what is wrong with the code; nothing is written then.
 */
export async function takeDelivery(
  tx: Tx,
  deps: TakeDeliveryDeps,
  delivery: Delivery,
): Promise<string | undefined> {
  const isServed = await isUnitServed(tx, delivery);
  const [code, ...spare] = delivery.codes;
  const stored = code && (await store(tx, deps, { ...delivery, code, forUnit: !isServed }));
  const { purchase, item } = delivery;
  // An operator may have typed in the very code that now arrives: then all is well.
  const isOwn = stored?.kind === 'known' && stored.orderItemId === item.id && isServed;
  if (stored?.kind === 'known' && !isOwn) return 'the partner gave a code that was given before';
  const outcome = isServed
    ? ({ fact: 'cameLate', to: 'LATE' } as const)
    : ({ fact: 'delivered', to: 'OK' } as const);
  const voucherId = stored?.kind === 'stored' ? stored.voucherId : null;
  const at = deps.clock.now();
  const { id, query_step: queryStep } = purchase;
  const changed = await applyPurchaseFact(tx, { id, ...outcome, ...delivery.told, voucherId, queryStep, at });
  if (!changed) throw new Error(`Purchase ${id} cannot be ${outcome.to} from ${purchase.status}`);
  for (const extra of spare) await store(tx, deps, { ...delivery, code: extra, forUnit: false });
  if ((isServed && !isOwn) || spare.length > 0) await tellOfSpare(tx, delivery, voucherId);
  return undefined;
}

/** Whether the unit has a code, was fulfilled, or another purchase of it is under way or done. */
export async function isUnitServed(
  tx: Tx,
  { purchase, item }: Pick<Delivery, 'purchase' | 'item'>,
): Promise<boolean> {
  if (item.fulfilled) return true;
  const [assigned, purchases] = await Promise.all([
    listAssignedUnitNumbers(tx, [item.id]),
    listPurchasesOfItems(tx, [item.id]),
  ]);
  return (
    assigned.some((unit) => unit.unit_no === purchase.unit_no) ||
    purchases.some(
      (other) =>
        other.id !== purchase.id &&
        other.unit_no === purchase.unit_no &&
        other.status !== 'REJECTED' &&
        other.status !== 'LATE',
    )
  );
}

function store(
  tx: Tx,
  deps: TakeDeliveryDeps,
  { purchase, item, code, forUnit }: Delivery & { code: DeliveredCode; forUnit: boolean },
) {
  return storeBoughtCode(tx, deps.box, {
    variantId: item.variant_id,
    unit: forUnit ? { orderItemId: item.id, unitNo: purchase.unit_no } : null,
    partnerId: purchase.partner_id,
    costMinor: purchase.request.cost_minor,
    ...code,
    metadata: { partner_api_transaction_id: purchase.id, reference: purchase.reference },
  });
}

async function tellOfSpare(tx: Tx, delivery: Delivery, voucherId: number | null): Promise<void> {
  const { purchase, order, item } = delivery;
  const who = purchase.partner_name ?? 'The partner';
  const what =
    item.mode === 'TOPUP'
      ? `${who} credited unit ${purchase.unit_no} of item ${item.id} after it had been served otherwise: the customer may have it twice`
      : `${who} delivered a code for unit ${purchase.unit_no} of item ${item.id} that the customer does not need any more: it is kept in the stock`;
  await openAlert(tx, {
    type: 'partner_result_late',
    orderId: order.id,
    cause: `purchase:${purchase.id}`,
    message: `Order ${order.order_number}: ${what}`,
    details: {
      partner_api_transaction_id: purchase.id,
      reference: purchase.reference,
      voucher_id: voucherId,
    },
  });
}
