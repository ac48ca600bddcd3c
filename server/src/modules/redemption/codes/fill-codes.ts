import type { RecordAudit } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { withdrawVouchers } from '../../vouchers/index.ts';
import { lockCampaign } from '../campaigns/campaign-store.ts';
import type { Actor } from '../campaigns/create-campaign.ts';
import { conflict, noCampaign } from '../errors.ts';
import { countPendingCodes, fillPendingCodes } from './fill-store.ts';
import { sealVoucherCode } from './generate-codes.ts';
import type { Entry } from './generate-codes.ts';

export interface FillDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly recordAudit: RecordAudit;
  /** The shop has fewer codes to sell now. */
  readonly noteStockChange: () => void;
}

/** Voucher codes given, or units of a variant to be taken out of the vault. */
export type FillSource =
  | { readonly kind: 'given'; readonly entries: readonly Entry[] }
  | { readonly kind: 'vault'; readonly variantId: number | null; readonly units: number };

/**
 * Puts voucher codes behind tokens that wait for theirs, in the order the tokens were generated: printed codes work
 * from the moment this returns. All or nothing.
 * @throws AppError NOT_FOUND; CONFLICT when fewer tokens wait than codes are given, when the vault has too few, or
 * when the campaign has ended.
 */
export async function fillCodes(
  deps: FillDeps,
  input: { campaignId: number; source: FillSource; actor: Actor },
): Promise<{ filled: number; pending: number }> {
  const { campaignId, source, actor } = input;
  const outcome = await inTransaction(deps.db, async (tx) => {
    const campaign = await lockCampaign(tx, campaignId);
    if (!campaign) throw noCampaign();
    if (campaign.is_over) throw conflict('This campaign has ended: its codes are expired');
    const entries =
      source.kind === 'given'
        ? source.entries
        : await takeFromVault(tx, deps, {
            campaignId,
            variantId: source.variantId ?? campaign.variant_id,
            units: source.units,
          });
    const filled = await fillPendingCodes(
      tx,
      campaignId,
      entries.map(({ voucherCode, instructions }) => ({
        ...sealVoucherCode(deps.box, voucherCode),
        instructions,
      })),
    );
    if (filled < entries.length) {
      throw conflict(`${entries.length} voucher codes were given and only ${filled} tokens wait for one`, {
        given: entries.length,
        pending: filled,
      });
    }
    await deps.recordAudit(tx, {
      ...actor,
      action: 'redemption:fill-codes',
      resource: `redemption_campaign:${campaignId}`,
      after: { filled, source: source.kind },
    });
    return { filled, pending: await countPendingCodes(tx, campaignId) };
  });
  if (source.kind === 'vault') deps.noteStockChange();
  return outcome;
}

async function takeFromVault(
  tx: Tx,
  deps: FillDeps,
  wanted: { campaignId: number; variantId: number | null; units: number },
): Promise<Entry[]> {
  const { campaignId, variantId, units } = wanted;
  if (variantId === null) {
    throw conflict('This campaign has no variant to take voucher codes of: name one');
  }
  const reason = `redemption campaign ${campaignId}`;
  const vouchers = await withdrawVouchers(tx, deps.box, { variantId, units, reason });
  if (vouchers.length < units) {
    throw conflict(`The vault has only ${vouchers.length} of ${units} codes of this variant`, {
      available: vouchers.length,
    });
  }
  return vouchers.map(({ code, pin }) => ({
    voucherCode: pin === null ? code : `${code} (PIN ${pin})`,
    instructions: null,
  }));
}
