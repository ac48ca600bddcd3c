import { inOneStatement } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Sweep } from '../../../platform/jobs/sweeps.ts';
import { expireSomeCodesOf, listEndedCampaigns, markCampaignExpired } from './expire-store.ts';

const CODES_AT_ONCE = 2_000;

/**
 * Stores `expired` on the codes of campaigns that have ended. Nobody waits for it: every read and every redeem goes by
 * the campaign's end and the database's clock (decisions 7.7).
 */
export function expireCodesSweep(deps: { readonly db: Database }): Sweep {
  return { name: 'expire_redemption_codes', everySeconds: 30, run: () => expireCodes(deps.db) };
}

async function expireCodes(db: Database): Promise<void> {
  for (const campaign of await inOneStatement(db, listEndedCampaigns)) {
    let expired: number;
    do {
      expired = await inOneStatement(db, (tx) => expireSomeCodesOf(tx, campaign.id, CODES_AT_ONCE));
    } while (expired > 0);
    await inOneStatement(db, (tx) => markCampaignExpired(tx, campaign));
  }
}
