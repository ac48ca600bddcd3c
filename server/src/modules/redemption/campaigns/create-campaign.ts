import type { AuditActor, RecordAudit } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import { campaignError } from './campaign-errors.ts';
import { checkWindow } from './campaign-rules.ts';
import { insertCampaign } from './campaign-store.ts';
import type { CampaignFields, CampaignRow } from './campaign-store.ts';

export interface CampaignDeps {
  readonly db: Database;
  readonly recordAudit: RecordAudit;
}

/** Who changes something, for the audit log. */
export type Actor = AuditActor;

/** @throws AppError VALIDATION_ERROR, CONFLICT when the slug is taken. */
export async function createCampaign(
  deps: CampaignDeps,
  input: { fields: CampaignFields; actor: Actor },
): Promise<CampaignRow> {
  const { fields, actor } = input;
  checkWindow(fields);
  try {
    return await inTransaction(deps.db, async (tx) => {
      const campaign = await insertCampaign(tx, fields);
      await deps.recordAudit(tx, {
        ...actor,
        action: 'redemption:create-campaign',
        resource: `redemption_campaign:${campaign.id}`,
        after: { ...fields },
      });
      return campaign;
    });
  } catch (error) {
    throw campaignError(error, fields.slug);
  }
}
