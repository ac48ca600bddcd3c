import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { csvCell, csvLine } from './csv-rules.ts';

const read = (line: string): string[] => parse(line)[0] ?? [];
/** What a spreadsheet does with a cell that it has read. */
const isRun = (cell: string): boolean => /^[=+\-@\t\r\n\0\uFF1D\uFF0B\uFF0D\uFF20]/.test(cell);

describe('a CSV cell', () => {
  it.each([
    ['=1+1', `'=1+1`],
    ['+880171', `'+880171`],
    ['-5', `'-5`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['\t=1', `'\t=1`],
    ['  =1', `'  =1`],
    ['\uFF1D1', `'\uFF1D1`],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['GIFT-1', 'GIFT-1'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['', ''],
  ])('writes %j so that nothing runs', (text, cell) => {
    expect(csvCell(text)).toBe(cell);
  });

  it('comes back as it was, or as it was behind an apostrophe, and never runs', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', ' ', 'a', '\uFF1D', '\0'),
    });
    fc.assert(
      fc.property(fc.array(nasty, { minLength: 2, maxLength: 5 }), (cells) => {
        const back = read(csvLine(cells));
        expect(back).toHaveLength(cells.length);
        for (const [index, cell] of cells.entries()) {
          expect([cell, `'${cell}`]).toContain(back[index]);
          expect(isRun(back[index] ?? '')).toBe(false);
        }
      }),
    );
  });
});
