import type { Reader } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';
import type { QueuedItem } from './queue-rules.ts';

export interface QueuedOrderRow {
  readonly id: number;
  readonly order_number: string;
  readonly total_minor: number;
  readonly delivery_email: string | null;
  readonly customer_id: number;
  readonly customer_name: string;
  readonly customer_msisdn: string | null;
  readonly customer_email: string | null;
  /** When it last became NEEDS_ATTENTION. */
  readonly since: Date;
  readonly paid_at: Date;
  readonly owner_id: number | null;
  readonly owner_name: string | null;
  readonly owner_email: string | null;
  readonly alert_id: number | null;
  readonly alert_message: string | null;
}

export interface QueueFilter {
  /** Whose orders; null for those that nobody has. */
  readonly owner: number | null | undefined;
  readonly search: string | null;
}

const matching = `
  FROM orders AS o
  JOIN users AS customer ON customer.id = o.user_id
  LEFT JOIN order_assignments AS assigned ON assigned.order_id = o.id
  LEFT JOIN admins AS owner ON owner.id = assigned.admin_id
  CROSS JOIN LATERAL (
    SELECT max(change.occurred_at) AS at FROM order_status_changes AS change
    WHERE change.order_id = o.id AND change.to_status = 'NEEDS_ATTENTION') AS attention
  LEFT JOIN LATERAL (
    SELECT alert.id, alert.message FROM admin_alerts AS alert
    WHERE alert.order_id = o.id AND alert.status = 'open'
      AND alert.type IN ('fulfillment_failed', 'fulfillment_partial')
    ORDER BY alert.id DESC LIMIT 1) AS alert ON true
  WHERE o.status = 'NEEDS_ATTENTION'
    AND (NOT $1 OR assigned.admin_id IS NOT DISTINCT FROM $2)
    AND ($3::text IS NULL OR o.order_number = upper($3))`;

const list = statement(
  'reports_needs_attention',
  `SELECT o.id, o.order_number, o.total_minor, o.delivery_email, o.paid_at, attention.at AS since,
          customer.id AS customer_id, customer.name AS customer_name, customer.msisdn AS customer_msisdn,
          customer.email AS customer_email, owner.id AS owner_id, owner.name AS owner_name, owner.email AS owner_email,
          alert.id AS alert_id, alert.message AS alert_message
   ${matching} ORDER BY attention.at, o.id LIMIT $4 OFFSET $5`,
);
const count = statement('reports_count_needs_attention', `SELECT count(*)::int AS total ${matching}`);

/** The longest waiting first. */
export async function listNeedingAttention(
  reader: Reader,
  filter: QueueFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: QueuedOrderRow[]; total: number }> {
  const values = [filter.owner !== undefined, filter.owner ?? null, filter.search];
  const [found, counted] = await Promise.all([
    reader.query<QueuedOrderRow>(list, [...values, limit, offset]),
    reader.query<{ total: number }>(count, values),
  ]);
  return { rows: found.rows, total: counted.rows[0]?.total ?? 0 };
}

export interface QueuedItemRow extends QueuedItem {
  readonly orderId: number;
  readonly itemId: number;
  readonly variantId: number;
  readonly productName: string;
  readonly variantName: string;
  readonly lastError: string | null;
}

const items = statement(
  'reports_needs_attention_items',
  `SELECT item.order_id AS "orderId", item.id AS "itemId", item.variant_id AS "variantId",
          item.product_name AS "productName", item.variant_name AS "variantName", item.mode, item.engine,
          item.quantity, item.fulfilled, item.fulfillment_status AS status,
          (SELECT count(*)::int FROM vouchers WHERE order_item_id = item.id AND vouchers.status = 'assigned') AS codes,
          (SELECT count(*)::int FROM partner_api_transactions AS purchase
           WHERE purchase.order_item_id = item.id AND purchase.status IN ('INTENT', 'SENT', 'UNKNOWN', 'DISPUTED'))
            AS "unclearPurchases",
          (SELECT count(*)::int FROM partner_sources AS source JOIN partners ON partners.id = source.partner_id
           WHERE source.variant_id = item.variant_id AND source.is_active AND partners.status = 'active')
            AS "activeSources",
          (SELECT count(*)::int FROM (
             SELECT 1 FROM vouchers WHERE variant_id = item.variant_id AND vouchers.status = 'available'
               AND (expires_at IS NULL OR expires_at > now()) LIMIT 100) AS free) AS "sellableUnits",
          last.status AS "lastAttemptStatus", last.error_message AS "lastError"
   FROM order_items AS item
   LEFT JOIN LATERAL (
     SELECT attempt.status, attempt.error_message FROM fulfillment_attempts AS attempt
     WHERE attempt.order_item_id = item.id ORDER BY attempt.id DESC LIMIT 1) AS last ON true
   WHERE item.order_id = ANY ($1) ORDER BY item.order_id, item.position`,
);

export async function listQueuedItems(reader: Reader, orderIds: readonly number[]): Promise<QueuedItemRow[]> {
  return orderIds.length === 0 ? [] : (await reader.query<QueuedItemRow>(items, [orderIds])).rows;
}
