import type { Reader } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/database.ts';

/** What a letter says; the voucher code stays sealed here. */
export interface RedeemedCodeRow {
  readonly voucher_code_sealed: Buffer;
  readonly instructions: string | null;
  readonly campaign_name: string;
  readonly headline: string | null;
}

const find = statement(
  'redemption_find_redeemed',
  `SELECT code.voucher_code_sealed, coalesce(code.instructions, campaign.instruction_template) AS instructions,
     campaign.name AS campaign_name, campaign.headline
   FROM redemption_codes code JOIN redemption_campaigns campaign ON campaign.id = code.campaign_id
   WHERE code.id = $1 AND code.status = 'redeemed'`,
);

export async function findRedeemedCode(reader: Reader, codeId: number): Promise<RedeemedCodeRow | undefined> {
  return (await reader.query<RedeemedCodeRow>(find, [codeId])).rows[0];
}
