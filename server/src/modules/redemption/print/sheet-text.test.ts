import PdfKit from 'pdfkit';
import { beforeAll, describe, expect, it } from 'vitest';

import { drawText, layOutText, registerFonts } from './sheet-text.ts';
import type { LaidOutText, TextCanvas } from './sheet-text.ts';

let canvas: TextCanvas;
beforeAll(() => {
  canvas = new PdfKit({ size: 'A4', margin: 0 });
  registerFonts(canvas);
});

const layOut = (text: string, width: number, lines: number): LaidOutText =>
  layOutText(canvas, text, { size: 10, weight: 'regular', width, lines });
const texts = (laidOut: LaidOutText): string[] =>
  laidOut.lines.map((line) => line.map(({ text }) => text).join('|'));

describe('text on a sheet', () => {
  it('is broken at spaces and ends in an ellipsis where there is no more room', () => {
    expect(texts(layOut('one  two\nthree', 500, 2))).toEqual(['one|two|three']);
    expect(texts(layOut('one two three four', 40, 2))).toEqual(['one|two', 'three|…']);
    expect(texts(layOut('', 40, 2))).toEqual(['']);
  });

  it('puts Bangla and Latin letters of one word in their own fonts, side by side', () => {
    const [line] = layOut('৫০০BDT', 500, 1).lines;
    expect(line?.map(({ text, font }) => [text, font])).toEqual([
      ['৫০০', 'Bengali'],
      ['BDT', 'Helvetica'],
    ]);
    expect(line?.[1]?.x).toBeGreaterThan(10);
  });

  it('leaves out what no font here can show, and the empty words that remain', () => {
    expect(texts(layOut('☀ sun漢 🎁 shine', 500, 1))).toEqual(['sun|shine']);
  });

  it('shortens a word that is longer than a line', () => {
    const laidOut = layOut('promo.example/a-very-long-path/redeem', 80, 1);
    expect(texts(laidOut)[0]).toMatch(/^promo\.example\S*…$/);
  });

  it('says where it ended when it is drawn', () => {
    expect(drawText(canvas, layOut('one two three', 40, 2), { x: 0, y: 100 })).toBe(125);
    expect(drawText(canvas, layOut('', 40, 2), { x: 0, y: 100 })).toBe(100);
  });
});
