import { inTransaction } from '../../../platform/db/database.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { expireCodesOf } from '../expiry/expire-store.ts';
import { noCampaign } from '../errors.ts';
import { campaignError } from './campaign-errors.ts';
import { checkWindow } from './campaign-rules.ts';
import { lockCampaign, resetIpCounters, shutOutRedeemsOf, updateCampaignRow } from './campaign-store.ts';
import type { CampaignFields, CampaignRow } from './campaign-store.ts';
import type { Actor, CampaignDeps } from './create-campaign.ts';

/**
 * Changes what is given and leaves the rest.
 * @throws AppError NOT_FOUND, VALIDATION_ERROR, CONFLICT when the slug is taken.
 */
export async function updateCampaign(
  deps: CampaignDeps,
  input: { campaignId: number; changes: Partial<CampaignFields>; actor: Actor },
): Promise<CampaignRow> {
  const { campaignId, changes, actor } = input;
  try {
    return await inTransaction(deps.db, async (tx) => {
      const before = await lockCampaign(tx, campaignId);
      if (!before) throw noCampaign();
      const fields: CampaignFields = { ...before, ...changes };
      checkWindow(fields);
      const after = await writeFields(tx, { before, fields });
      await deps.recordAudit(tx, {
        ...actor,
        action: 'redemption:update-campaign',
        resource: `redemption_campaign:${campaignId}`,
        before: pick(before, changes),
        after: { ...changes },
      });
      return after;
    });
  } catch (error) {
    throw campaignError(error, changes.slug ?? '');
  }
}

async function writeFields(
  tx: Tx,
  change: { before: CampaignRow; fields: CampaignFields },
): Promise<CampaignRow> {
  const { before, fields } = change;
  // Codes of a campaign that has ended are expired for ever, whether or not the sweep came by: a later end must not
  // bring back those that it happened not to have reached.
  if (before.is_over) await expireCodesOf(tx, before.id);
  const startsToLimit = before.max_per_ip === null && fields.max_per_ip !== null;
  if (startsToLimit) await shutOutRedeemsOf(tx, before.id);
  const after = await updateCampaignRow(tx, before.id, fields);
  if (startsToLimit) await resetIpCounters(tx, before.id);
  return after;
}

function pick(row: CampaignRow, changes: Partial<CampaignFields>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([column]) => column in changes));
}
