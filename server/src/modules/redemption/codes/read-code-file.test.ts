import { describe, expect, it } from 'vitest';

import { AppError } from '../../../platform/errors.ts';
import { readCodeFile } from './read-code-file.ts';

function problem(csv: string): string {
  try {
    readCodeFile(csv);
    return 'none';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.fields?.[0]?.field).toBe('csv');
    return error.message;
  }
}

describe('a file of voucher codes', () => {
  it('is read with its instructions, whatever the order and case of its columns', () => {
    expect(
      readCodeFile('\uFEFFInstructions,Actual_Voucher_Code\r\n"Dial *1#, then 2", A-1 \r\n\r\n,A-2\r\n'),
    ).toEqual([
      { voucherCode: 'A-1', instructions: 'Dial *1#, then 2' },
      { voucherCode: 'A-2', instructions: null },
    ]);
    expect(readCodeFile('code\nA-1')).toEqual([{ voucherCode: 'A-1', instructions: null }]);
  });

  it.each([
    ['', 'no rows'],
    ['code\n', 'no rows'],
    ['voucher\nA-1', 'must name the column'],
    ['code,instructions\n,x', 'Row 2: actual_voucher_code is empty'],
    [`code\n${'x'.repeat(501)}`, 'Row 2'],
    [`code,instructions\nA,${'x'.repeat(5001)}`, 'Row 2: instructions'],
    ['code\n"A', 'cannot be read'],
    ['code,instructions\nA,b,c', 'cannot be read'],
  ])('is refused: %j', (csv, message) => {
    expect(problem(csv)).toContain(message);
  });

  it('is never quoted in what is said about it', () => {
    expect(problem('code\nSECRET"x')).not.toContain('SECRET');
    expect(problem('code,instructions\nSECRET,b,c')).not.toContain('SECRET');
  });
});
