import type { Random } from '../../../platform/random.ts';
import { READABLE_ALPHABET } from '../../../platform/random.ts';
import { secondsAfter } from '../../../platform/time.ts';
import type { Clock } from '../../../platform/time.ts';
import type { OrderItemRow } from '../../orders/index.ts';
import type { SourceRow } from '../partner-sources/source-store.ts';
import type { NewPurchase } from './purchase-store.ts';

export interface Effort {
  /** The same for all purchases of one effort. */
  readonly correlationId: string;
  /** The operator who asked; null when the service buys by itself. */
  readonly adminId: number | null;
}

/** The unit of an item, with how many purchases it has had. */
export interface Unit {
  readonly item: OrderItemRow;
  readonly unitNo: number;
  readonly purchasesBefore: number;
}

/**
 * The purchase of a unit from a source, to be written before the partner hears of it. The reference says for people
 * what it is about; its random end keeps it from ever meeting one of a database that was restored or begun anew.
 */
export function composePurchase(
  deps: { readonly clock: Clock; readonly random: Random },
  unit: Unit,
  from: Effort & { readonly source: SourceRow; readonly round: number; readonly afterSeconds: number },
): NewPurchase {
  const { item, unitNo, purchasesBefore } = unit;
  const { source, round, afterSeconds } = from;
  const nth = purchasesBefore + 1;
  return {
    order_item_id: item.id,
    unit_no: unitNo,
    partner_id: source.partner_id,
    source_id: source.id,
    reference: `VC${item.id}-${unitNo}-${nth}-${deps.random.text(READABLE_ALPHABET, 8)}`,
    correlation_id: from.correlationId,
    admin_id: from.adminId,
    round,
    request: {
      product: source.partner_product,
      options: source.options,
      input: item.fulfillment_input,
      cost_minor: source.cost_minor,
    },
    next_step_at: secondsAfter(deps.clock.now(), afterSeconds),
  };
}

/** Units of an item that have no code of their own yet; for a top-up, those without a purchase that credited them. */
export function missingUnits(
  item: OrderItemRow,
  served: readonly { readonly order_item_id: number; readonly unit_no: number }[],
): number[] {
  const own = new Set(served.filter((unit) => unit.order_item_id === item.id).map((unit) => unit.unit_no));
  return Array.from({ length: item.quantity }, (_, index) => index + 1).filter((unitNo) => !own.has(unitNo));
}
