import type { RecordAudit } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import type { Actor } from '../campaigns/create-campaign.ts';
import { noCode } from '../errors.ts';
import { statusAfterChange } from '../redemption-code-rules.ts';
import type { CodeChange } from '../redemption-code-rules.ts';
import { lockCode, updateCodeRow } from './code-store.ts';
import type { CodeRow } from './code-store.ts';
import { sealVoucherCode } from './generate-codes.ts';

export interface ChangeCodeDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly recordAudit: RecordAudit;
}

/**
 * Sets voucher code, instructions or status of one code; a voucher code makes a waiting token `unused` by itself.
 * @throws AppError NOT_FOUND, BAD_REQUEST, CONFLICT as `statusAfterChange` says.
 */
export async function changeCode(
  deps: ChangeCodeDeps,
  input: { codeId: number; change: CodeChange; actor: Actor },
): Promise<CodeRow> {
  const { codeId, change, actor } = input;
  return inTransaction(deps.db, async (tx) => {
    const before = await lockCode(tx, codeId);
    if (!before) throw noCode();
    const status = statusAfterChange(before.status, change);
    const voucherCode =
      change.voucherCode === undefined ? null : sealVoucherCode(deps.box, change.voucherCode);
    const instructions = change.instructions === undefined ? before.instructions : change.instructions;
    // A code that reads `expired` but is not stored so yet was asked for nothing: leave it to the sweep.
    if (status !== 'expired') await updateCodeRow(tx, { id: codeId, status, instructions, voucherCode });
    await deps.recordAudit(tx, {
      ...actor,
      action: 'redemption:update-code',
      resource: `redemption_code:${codeId}`,
      before: { status: before.status, instructions: before.instructions },
      after: { status, instructions, actual_voucher_code: change.voucherCode === undefined ? null : 'set' },
    });
    return {
      ...before,
      status,
      instructions,
      voucher_code_sealed: voucherCode?.sealed ?? before.voucher_code_sealed,
    };
  });
}
