import { Readable } from 'node:stream';

import { describe, expect, it } from 'vitest';

import { readImportFile } from './import-file.ts';

async function collect(rows: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const each of rows) all.push(each);
  return all;
}
const read = (text: string): Promise<unknown[]> => collect(readImportFile(Readable.from([text])));
const row = (line: number, code: string, more: object = {}): object => ({
  line,
  code,
  pin: '',
  redemptionUrl: '',
  serialNumber: '',
  expiresAt: '',
  ...more,
});

describe('readImportFile', () => {
  it('reads the five columns in any order, ignoring others, spaces and empty lines', async () => {
    const text = [
      '\u{feff}Serial Number, CODE ,expires_at,note,pin,redemption-url',
      'S1, A1 ,2030-01-01,hello,11,https://x.test/1',
      '',
      ',,,,,',
      '"S,2","A ""2""",,,,',
    ].join('\r\n');
    expect(await read(text)).toEqual([
      row(2, 'A1', {
        serialNumber: 'S1',
        expiresAt: '2030-01-01',
        pin: '11',
        redemptionUrl: 'https://x.test/1',
      }),
      row(5, 'A "2"', { serialNumber: 'S,2' }),
    ]);
  });

  it('needs no column but code, and no last line break', async () => {
    expect(await read('code\nA\nB')).toEqual([row(2, 'A'), row(3, 'B')]);
    expect(await read('code\n')).toEqual([]);
  });

  it.each(['', '\n\n', 'voucher,pin\nA,1', 'code;pin\nA;1', 'A1\nA2'])(
    'refuses a file whose first line does not name code: %j',
    async (text) => {
      await expect(read(text)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        fields: [{ field: 'file', message: expect.stringContaining('code is missing') as string }],
      });
    },
  );

  it('refuses a column that is there twice', async () => {
    await expect(read('code,pin,PIN\nA,1,2')).rejects.toMatchObject({
      fields: [{ message: 'The column pin is there twice' }],
    });
  });

  it('reports a row with other cells than the first line names, and reads on', async () => {
    const problem = 'the row has not as many cells as the first line';
    expect(await read('code,pin\nA,1,2\nB\nC,3')).toEqual([
      { line: 2, problem },
      { line: 3, problem },
      row(4, 'C', { pin: '3' }),
    ]);
  });

  it.each([
    [
      'a quote that never closes',
      'code\nA\n"SECRET-B',
      [row(2, 'A'), { line: 3, problem: 'a quote is opened and never closed' }],
    ],
    [
      'a quote inside a cell',
      'code\nA\nSEC"RE"T\nB',
      [row(2, 'A'), { line: 3, problem: 'a quote stands where none may be' }, row(4, 'B')],
    ],
    [
      'text after a quote',
      'code\nA\n"SEC"RET"\nB',
      [row(2, 'A'), { line: 3, problem: 'a quote stands where none may be' }, row(4, 'B')],
    ],
  ])('reports %s without its text, and reads on', async (_what, text, expected) => {
    expect(await read(text)).toEqual(expected);
  });

  it('keeps what it read before a row without end, which it does not hold in memory', async () => {
    const rows = await read(`code\nA\n"${'SECRET\n'.repeat(4_000)}`);
    const problem =
      'the row is too long, perhaps for want of a closing quote; the file cannot be read from here on';
    expect(rows).toEqual([row(2, 'A'), { line: expect.any(Number) as number, problem }]);
  });

  it('reads a file that arrives in pieces, wherever they are cut', async () => {
    const bytes = Buffer.from('\u{feff}code,pin\r\nকোড,"1\n2"\r\nB,3\r\n');
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const pieces = Readable.from([bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect(await collect(readImportFile(pieces))).toEqual([
        row(3, 'কোড', { pin: '1\n2' }),
        row(4, 'B', { pin: '3' }),
      ]);
    }
  });

  it('passes on a failure of the file itself', async () => {
    const broken = new Readable({
      read() {
        this.destroy(new Error('disk gone'));
      },
    });
    await expect(collect(readImportFile(broken))).rejects.toThrow('disk gone');
  });
});
