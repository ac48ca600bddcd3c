import type { Reader } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { redemptionContexts } from '../redemption-secrets.ts';
import type { CodeRow, CodeSelection } from './code-store.ts';
import { csvLine } from './csv-rules.ts';
import { redeemUrl } from './link-rules.ts';
import { readCodes } from './read-codes.ts';

const COLUMNS = ['code', 'url', 'status', 'actual_voucher_code', 'created_at'];

/** The campaign's codes as CSV text in pieces (interface part 4: the five columns, in this order). */
export async function* exportCodes(
  deps: { readonly db: Reader; readonly box: SecretBox },
  wanted: { selection: CodeSelection; baseUrl: string },
): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for await (const rows of readCodes(deps.db, wanted.selection)) {
    yield rows.map((row) => csvLine(cellsOf(deps.box, row, wanted.baseUrl))).join('');
  }
}

function cellsOf(box: SecretBox, row: CodeRow, baseUrl: string): string[] {
  const token = box.open(row.token_sealed, redemptionContexts.token);
  const voucherCode = row.voucher_code_sealed
    ? box.open(row.voucher_code_sealed, redemptionContexts.voucherCode)
    : '';
  return [token, redeemUrl(baseUrl, token), row.status, voucherCode, row.created_at.toISOString()];
}
