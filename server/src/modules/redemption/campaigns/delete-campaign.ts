import { inTransaction } from '../../../platform/db/database.ts';
import { conflict, noCampaign } from '../errors.ts';
import { deleteCampaignCodes, deleteCampaignRow, lockCampaignForDelete } from './campaign-store.ts';
import type { Actor, CampaignDeps } from './create-campaign.ts';

/**
 * Deletes a campaign with its codes; its attempts stay. A redeem under way is waited for: either its code goes, and it
 * learns that there is none, or it is redeemed, and the campaign stays as it was.
 * @throws AppError NOT_FOUND; CONFLICT when any code was redeemed.
 */
export async function deleteCampaign(
  deps: CampaignDeps,
  input: { campaignId: number; actor: Actor },
): Promise<{ codes: number }> {
  const { campaignId, actor } = input;
  return inTransaction(deps.db, async (tx) => {
    const campaign = await lockCampaignForDelete(tx, campaignId);
    if (!campaign) throw noCampaign();
    const codes = await deleteCampaignCodes(tx, campaignId);
    if (!(await deleteCampaignRow(tx, campaignId))) {
      throw conflict('Codes of this campaign were redeemed, so it stays: pause it instead');
    }
    await deps.recordAudit(tx, {
      ...actor,
      action: 'redemption:delete-campaign',
      resource: `redemption_campaign:${campaignId}`,
      before: { name: campaign.name, slug: campaign.slug, status: campaign.status },
      after: { deleted_codes: codes },
    });
    return { codes };
  });
}
