import type { Tx } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

const expireOf = statement(
  'redemption_expire_codes_of',
  `WITH due AS (
     SELECT id FROM redemption_codes
     WHERE campaign_id = $1 AND status IN ('unused', 'pending_stock') ORDER BY id FOR NO KEY UPDATE
   )
   UPDATE redemption_codes SET status = 'expired' FROM due WHERE redemption_codes.id = due.id`,
);

// A few thousand at a time: each is locked only briefly, and a redeem that has a code just now is stepped over.
const expireSome = statement(
  'redemption_expire_some_codes',
  `WITH due AS (
     SELECT id FROM redemption_codes
     WHERE campaign_id = $1 AND status IN ('unused', 'pending_stock')
       AND EXISTS (SELECT FROM redemption_campaigns WHERE id = $1 AND ends_at < now())
     ORDER BY id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
   )
   UPDATE redemption_codes SET status = 'expired' FROM due WHERE redemption_codes.id = due.id`,
);

const listEnded = statement(
  'redemption_list_ended_campaigns',
  `SELECT id, ends_at FROM redemption_campaigns
   WHERE ends_at < now() AND expired_for IS DISTINCT FROM ends_at ORDER BY ends_at LIMIT 100`,
);

// Looks again for codes that were stepped over or added meanwhile; only when none is left is the campaign done.
const setExpired = statement(
  'redemption_set_campaign_expired',
  `UPDATE redemption_campaigns campaign SET expired_for = ends_at
   WHERE id = $1 AND ends_at = $2 AND NOT EXISTS (
     SELECT FROM redemption_codes WHERE campaign_id = campaign.id AND status IN ('unused', 'pending_stock'))`,
);

/** Every code that is still open. Waits for redeems under way. */
export async function expireCodesOf(tx: Tx, campaignId: number): Promise<number> {
  return (await tx.query(expireOf, [campaignId])).count;
}

export async function expireSomeCodesOf(tx: Tx, campaignId: number, limit: number): Promise<number> {
  return (await tx.query(expireSome, [campaignId, limit])).count;
}

export interface EndedCampaignRow {
  readonly id: number;
  readonly ends_at: Date;
}

/** Campaigns past their end whose codes may not all be stored as expired. */
export async function listEndedCampaigns(tx: Tx): Promise<EndedCampaignRow[]> {
  return (await tx.query<EndedCampaignRow>(listEnded)).rows;
}

export async function markCampaignExpired(tx: Tx, campaign: EndedCampaignRow): Promise<void> {
  await tx.query(setExpired, [campaign.id, campaign.ends_at]);
}
