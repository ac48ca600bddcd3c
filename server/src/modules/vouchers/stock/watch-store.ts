import type { Reader } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

export interface WatchedStockRow {
  readonly variant_id: number;
  readonly title: string;
  readonly available: number;
  readonly sold_lately: number;
  readonly low_units: number | null;
  readonly low_cover_days: number | null;
  /** Whether operators know: there is an open alert. */
  readonly is_alerted: boolean;
}

// Variants that nobody set a threshold for cost nothing.
const watched = statement(
  'vouchers_list_watched',
  `SELECT threshold.variant_id, product.name || ', ' || variant.name AS title, stock.available, pace.sold_lately,
          threshold.low_units, threshold.low_cover_days,
          EXISTS (SELECT 1 FROM admin_alerts AS alert
                  WHERE alert.type = 'low_stock' AND alert.cause = 'variant:' || threshold.variant_id
                    AND alert.status = 'open') AS is_alerted
   FROM stock_thresholds AS threshold
   JOIN product_variants AS variant ON variant.id = threshold.variant_id
   JOIN products AS product ON product.id = variant.product_id
   CROSS JOIN LATERAL (
     SELECT count(*)::int AS available FROM vouchers
     WHERE vouchers.variant_id = threshold.variant_id AND vouchers.status = 'available'
       AND (expires_at IS NULL OR expires_at > now())) AS stock
   CROSS JOIN LATERAL (
     SELECT COALESCE(sum(units), 0)::int AS sold_lately FROM stock_movements AS movement
     WHERE movement.variant_id = threshold.variant_id AND movement.to_status = 'assigned'
       AND movement.occurred_at > now() - make_interval(days => $1)) AS pace`,
);

export async function listWatchedStock(reader: Reader, paceDays: number): Promise<WatchedStockRow[]> {
  return (await reader.query<WatchedStockRow>(watched, [paceDays])).rows;
}
