import { expect } from 'vitest';

import type { Database } from '../../src/platform/db/database.ts';

/** What must hold after everything, whatever happened. Each query must find nothing. */
const invariants: Readonly<Record<string, string>> = {
  'a code has at most one order item': `
    SELECT brand_id, code_digest FROM vouchers GROUP BY 1, 2 HAVING count(*) > 1`,
  'an item never holds more codes than it was sold, and a fulfilled CODE item exactly as many': `
    SELECT item.id FROM order_items item LEFT JOIN vouchers v ON v.order_item_id = item.id AND v.status = 'assigned'
    GROUP BY item.id
    HAVING count(v.id) > item.quantity OR (item.fulfilled AND item.mode = 'CODE' AND count(v.id) <> item.quantity)`,
  'no code is delivered without verified money': `
    SELECT item.id FROM order_items item JOIN vouchers v ON v.order_item_id = item.id AND v.status = 'assigned'
    WHERE NOT EXISTS (SELECT FROM payments p WHERE p.order_id = item.order_id AND p.status = 'SUCCEEDED' AND p.drives_order)`,
  'a paid order is delivered, with an operator, or has a live job': `
    SELECT o.id FROM orders o WHERE o.paid_at IS NOT NULL AND o.status NOT IN ('SUCCEEDED', 'NEEDS_ATTENTION')
      AND NOT EXISTS (SELECT FROM graphile_worker.jobs job WHERE job.attempts < job.max_attempts)`,
  'a SUCCEEDED order has every item fulfilled and, with codes, its e-mail sent': `
    SELECT o.id FROM orders o WHERE o.status = 'SUCCEEDED' AND (
      EXISTS (SELECT FROM order_items i WHERE i.order_id = o.id AND NOT i.fulfilled)
      OR (o.email_sent_at IS NULL AND EXISTS (SELECT FROM order_items i WHERE i.order_id = o.id AND i.mode = 'CODE')))`,
  'a second success has its alert': `
    SELECT order_id FROM payments WHERE status = 'SUCCEEDED' GROUP BY 1
    HAVING count(*) > 1 AND NOT EXISTS (
      SELECT FROM admin_alerts a WHERE a.order_id = payments.order_id AND a.type = 'duplicate_payment')`,
  'a paid order has exactly one payment that drives it': `
    SELECT o.id FROM orders o LEFT JOIN payments p ON p.order_id = o.id AND p.drives_order
    GROUP BY o.id HAVING (o.paid_at IS NOT NULL) <> (count(p.id) = 1)`,
  'the payment that drives an order covers it': `
    SELECT p.id FROM payments p JOIN orders o ON o.id = p.order_id
    WHERE p.drives_order AND (p.verified_amount_minor < o.total_minor OR p.verified_currency <> o.currency)`,
  'an order has at most one consolidated e-mail, sent exactly when it says so': `
    SELECT o.id FROM orders o LEFT JOIN mail_messages m ON m.order_id = o.id AND m.state = 'SENT'
    GROUP BY o.id HAVING (o.email_sent_at IS NOT NULL) <> (count(m.id) >= 1)`,
  'an order that needs attention has an open alert': `
    SELECT o.id FROM orders o WHERE o.status = 'NEEDS_ATTENTION' AND NOT EXISTS (
      SELECT FROM admin_alerts a WHERE a.order_id = o.id AND a.status = 'open')`,
  'a delivered order has no open fulfillment alert': `
    SELECT o.id FROM orders o JOIN admin_alerts a ON a.order_id = o.id AND a.status = 'open'
      AND a.type IN ('fulfillment_failed', 'fulfillment_partial') WHERE o.status = 'SUCCEEDED'`,
  'an order that holds nothing any more has no reserved unit': `
    SELECT o.id FROM orders o JOIN order_items i ON i.order_id = o.id JOIN vouchers v ON v.order_item_id = i.id
    WHERE o.held_until IS NULL AND o.paid_at IS NULL AND v.status = 'reserved'`,
  'a discount counts exactly its live uses, never more than its limit': `
    SELECT d.id FROM discounts d LEFT JOIN discount_uses u ON u.discount_id = d.id AND u.released_at IS NULL AND u.is_counted
    GROUP BY d.id HAVING d.usage_count <> count(u.id) OR count(u.id) > d.usage_limit`,
  'a customer is counted exactly the live uses they have': `
    SELECT discount_id, user_id FROM discount_customers c
    FULL JOIN (SELECT discount_id, user_id, count(*) AS live FROM discount_uses
      WHERE released_at IS NULL AND is_counted GROUP BY 1, 2) AS u USING (discount_id, user_id)
    WHERE COALESCE(c.uses, 0) <> COALESCE(u.live, 0)`,
  'an order with a discount has its use while it is held or paid, for good once it is paid, and else none': `
    SELECT o.id FROM orders o LEFT JOIN discount_uses u ON u.order_id = o.id AND u.released_at IS NULL
    GROUP BY o.id
    HAVING (o.discount_code IS NOT NULL AND (o.held_until IS NOT NULL OR o.paid_at IS NOT NULL)) <> (count(u.id) = 1)
      OR (o.discount_code IS NOT NULL AND o.paid_at IS NOT NULL) <> (count(u.settled_at) = 1)`,
  'what the items of an order take off sums to its discount, which its use repeats': `
    SELECT o.id FROM orders o JOIN order_items i ON i.order_id = o.id
    GROUP BY o.id HAVING sum(i.discount_minor) <> o.discount_minor
    UNION SELECT o.id FROM orders o JOIN discount_uses u ON u.order_id = o.id
      AND (u.discount_minor, u.subtotal_minor, u.user_id) IS DISTINCT FROM (o.discount_minor, o.subtotal_minor, o.user_id)`,
  'what a payment says is refunded is the sum of its refunds, and no more than was verified': `
    SELECT p.id FROM payments p LEFT JOIN refunds r ON r.payment_id = p.id
    GROUP BY p.id
    HAVING p.refunded_minor <> COALESCE(sum(r.amount_minor) FILTER (WHERE r.status IN ('succeeded', 'manual')), 0)
      OR COALESCE(sum(r.amount_minor) FILTER (WHERE r.status NOT IN ('failed', 'rejected')), 0)
         > COALESCE(p.verified_amount_minor, 0)`,
  'every status an order ever had is recorded, the last one being the present': `
    SELECT o.id FROM orders o WHERE o.status <> (
      SELECT to_status FROM order_status_changes c WHERE c.order_id = o.id ORDER BY c.id DESC LIMIT 1)`,
  'the counter of an address is what it redeemed of a campaign that limits it': `
    SELECT campaign.id, code.redeemed_ip_key FROM redemption_campaigns campaign
    JOIN redemption_codes code ON code.campaign_id = campaign.id AND code.status = 'redeemed'
    LEFT JOIN redemption_ip_counters counter
      ON counter.campaign_id = campaign.id AND counter.ip_key = code.redeemed_ip_key
    WHERE campaign.max_per_ip IS NOT NULL
    GROUP BY campaign.id, code.redeemed_ip_key, counter.redeemed
    HAVING counter.redeemed IS DISTINCT FROM count(*)`,
  'every redeemed code was told to other systems exactly once': `
    SELECT code.id FROM redemption_codes code LEFT JOIN outbox_events event
      ON event.type = 'redemption.redeemed' AND (event.data ->> 'redemption_code_id')::bigint = code.id
    WHERE code.status = 'redeemed' GROUP BY code.id HAVING count(event.id) <> 1`,
};

/** Checks every invariant on a quiet database. */
export async function expectInvariants(db: Database): Promise<void> {
  for (const [promise, query] of Object.entries(invariants)) {
    const { rows } = await db.query(query);
    expect(rows, promise).toEqual([]);
  }
}
