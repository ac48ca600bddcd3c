import { inTransaction } from '../../../platform/db/database.ts';
import { findCampaign } from '../campaigns/campaign-store.ts';
import type { Actor, CampaignDeps } from '../campaigns/create-campaign.ts';
import { conflict, noCampaign, noCode } from '../errors.ts';
import { deleteCodeRow, lockCode, voidOpenCodes } from './code-store.ts';

/**
 * Voids those of the ids that belong to the campaign and are `unused` or `pending_stock`, and leaves the others.
 * @throws AppError NOT_FOUND when there is no such campaign.
 */
export async function voidCodes(
  deps: CampaignDeps,
  input: { campaignId: number; ids: readonly number[]; actor: Actor },
): Promise<{ voided: number[]; skipped: number[] }> {
  const { campaignId, ids, actor } = input;
  return inTransaction(deps.db, async (tx) => {
    if (!(await findCampaign(tx, campaignId))) throw noCampaign();
    const voided = await voidOpenCodes(tx, campaignId, ids);
    const done = new Set(voided);
    const skipped = [...new Set(ids)].filter((id) => !done.has(id));
    await deps.recordAudit(tx, {
      ...actor,
      action: 'redemption:void-codes',
      resource: `redemption_campaign:${campaignId}`,
      after: { voided: voided.length, skipped: skipped.length, ids: voided.slice(0, 1_000) },
    });
    return { voided, skipped };
  });
}

/**
 * Deletes a code that was not redeemed; its attempts stay.
 * @throws AppError NOT_FOUND, CONFLICT when it was redeemed.
 */
export async function deleteCode(deps: CampaignDeps, input: { codeId: number; actor: Actor }): Promise<void> {
  const { codeId, actor } = input;
  await inTransaction(deps.db, async (tx) => {
    const code = await lockCode(tx, codeId);
    if (!code) throw noCode();
    if (!(await deleteCodeRow(tx, codeId))) {
      throw conflict('This code was redeemed and stays for the record');
    }
    await deps.recordAudit(tx, {
      ...actor,
      action: 'redemption:delete-code',
      resource: `redemption_code:${codeId}`,
      before: { campaign_id: code.campaign_id, status: code.status },
    });
  });
}
