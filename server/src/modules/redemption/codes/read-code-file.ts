import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';

import { fieldError } from '../../../platform/errors.ts';
import type { Entry } from './generate-codes.ts';

const LONGEST_VOUCHER_CODE = 500;
const LONGEST_INSTRUCTIONS = 5_000;

/**
 * Voucher codes out of CSV text whose first line names the columns: `actual_voucher_code` (or `code`), optionally
 * `instructions`. Problems name the line and never what stands in it.
 * @throws AppError VALIDATION_ERROR, field `csv`.
 */
export function readCodeFile(csv: string): Entry[] {
  const rows = parseRows(csv);
  const first = rows[0];
  if (!first) throw fieldError('csv', 'The file has no rows below its first line');
  if (!('actual_voucher_code' in first) && !('code' in first)) {
    throw fieldError('csv', 'The first line must name the column actual_voucher_code');
  }
  return rows.map((row, index) => {
    const voucherCode = row['actual_voucher_code'] ?? row['code'] ?? '';
    const instructions = row['instructions'] ?? '';
    const line = index + 2;
    if (voucherCode === '') throw fieldError('csv', `Row ${line}: actual_voucher_code is empty`);
    if (voucherCode.length > LONGEST_VOUCHER_CODE || /\p{Cc}/u.test(voucherCode)) {
      throw fieldError('csv', `Row ${line}: actual_voucher_code is too long or has a control character`);
    }
    if (instructions.length > LONGEST_INSTRUCTIONS)
      throw fieldError('csv', `Row ${line}: instructions are too long`);
    return { voucherCode, instructions: instructions === '' ? null : instructions };
  });
}

function parseRows(csv: string): Record<string, string>[] {
  try {
    return parse(csv, {
      bom: true,
      columns: (header: string[]) => header.map((name) => name.trim().toLowerCase()),
      skip_empty_lines: true,
      trim: true,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = error['lines'];
    // The parser's own message repeats what stands in the row.
    throw fieldError('csv', `The file cannot be read${typeof line === 'number' ? ` at row ${line}` : ''}`);
  }
}
