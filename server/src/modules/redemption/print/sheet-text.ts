import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** What text on a sheet is drawn with; a subset of a PDF document, so that laying out needs no page. */
export interface TextCanvas {
  registerFont(name: string, source: Buffer): unknown;
  font(name: string): unknown;
  fontSize(size: number): unknown;
  widthOfString(text: string): number;
  text(text: string, x: number, y: number, options: { lineBreak: false; baseline: 'alphabetic' }): unknown;
}

/** One stretch of a line in one font, at its place in the line. */
interface Stretch {
  readonly text: string;
  readonly font: string;
  readonly x: number;
}

/** Text broken into lines; points. */
export interface LaidOutText {
  readonly lines: readonly (readonly Stretch[])[];
  readonly size: number;
  readonly lineHeight: number;
}

const BENGALI = { regular: 'Bengali', bold: 'Bengali-Bold' } as const;
const LATIN = { regular: 'Helvetica', bold: 'Helvetica-Bold' } as const;
export type Weight = keyof typeof LATIN;

/** Bengali letters, digits, signs and the joiners between them. */
const BENGALI_PART = /([\u0964\u0965\u0980-\u09FF\u200C\u200D]+)/;
/** What the built-in fonts of every PDF reader can show. */
const NOT_LATIN = /[^\u0020-\u007E\u00A0-\u00FF\u2013\u2014\u2018\u2019\u201C\u201D\u2022\u2026\u20AC]/gu;

/** The Bengali typeface is embedded: readers have none. The WOFF of it, since the WOFF2 loses its joined letters. */
export function registerFonts(canvas: TextCanvas): void {
  const find = createRequire(import.meta.url);
  const fileOf = (weight: number): string =>
    find.resolve(`@fontsource/noto-sans-bengali/files/noto-sans-bengali-bengali-${weight}-normal.woff`);
  canvas.registerFont(BENGALI.regular, readFileSync(fileOf(400)));
  canvas.registerFont(BENGALI.bold, readFileSync(fileOf(700)));
}

/** Breaks text at spaces into at most `lines` lines; what does not fit ends in an ellipsis. */
export function layOutText(
  canvas: TextCanvas,
  text: string,
  style: { size: number; weight: Weight; width: number; lines: number },
): LaidOutText {
  canvas.font(LATIN[style.weight]);
  canvas.fontSize(style.size);
  const space = canvas.widthOfString(' ');
  const lines: Stretch[][] = [[]];
  let x = 0;
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const stretches = fittingStretches(canvas, word, style);
    const width = widthOf(canvas, stretches, style);
    if (width === 0) continue;
    const startsLine = (lines.at(-1)?.length ?? 0) === 0;
    if (!startsLine && x + space + width > style.width) {
      if (lines.length === style.lines) {
        lines.at(-1)?.push({ text: '…', font: LATIN[style.weight], x });
        break;
      }
      lines.push([]);
      x = 0;
    } else if (!startsLine) {
      x += space;
    }
    const start = x;
    lines.at(-1)?.push(...stretches.map((stretch) => ({ ...stretch, x: stretch.x + start })));
    x += width;
  }
  return { lines, size: style.size, lineHeight: style.size * 1.25 };
}

/** A word longer than a line, a long address perhaps, loses its end. */
function fittingStretches(
  canvas: TextCanvas,
  word: string,
  style: { size: number; weight: Weight; width: number },
): Stretch[] {
  let stretches = stretchesOf(canvas, word, style);
  for (let kept = word.length; kept > 0 && widthOf(canvas, stretches, style) > style.width; kept -= 1) {
    stretches = stretchesOf(canvas, `${word.slice(0, kept)}…`, style);
  }
  return stretches;
}

/** A word in the fonts that its letters need. Letters that no font here has are left out. */
function stretchesOf(canvas: TextCanvas, word: string, style: { size: number; weight: Weight }): Stretch[] {
  const stretches: Stretch[] = [];
  let x = 0;
  for (const [index, part] of word.split(BENGALI_PART).entries()) {
    const isBengali = index % 2 === 1;
    const text = isBengali ? part : part.replaceAll(NOT_LATIN, '');
    if (text === '') continue;
    const font = (isBengali ? BENGALI : LATIN)[style.weight];
    stretches.push({ text, font, x });
    canvas.font(font);
    canvas.fontSize(style.size);
    x += canvas.widthOfString(text);
  }
  return stretches;
}

function widthOf(canvas: TextCanvas, stretches: readonly Stretch[], style: { size: number }): number {
  const last = stretches.at(-1);
  if (!last) return 0;
  canvas.font(last.font);
  canvas.fontSize(style.size);
  return last.x + canvas.widthOfString(last.text);
}

/** @returns where the text ends, from the top. */
export function drawText(canvas: TextCanvas, text: LaidOutText, at: { x: number; y: number }): number {
  let { y } = at;
  for (const line of text.lines) {
    for (const stretch of line) {
      canvas.font(stretch.font);
      canvas.fontSize(text.size);
      // On one base line, whatever font: the top of a line is elsewhere in each.
      canvas.text(stretch.text, at.x + stretch.x, y + text.size, {
        lineBreak: false,
        baseline: 'alphabetic',
      });
    }
    if (line.length > 0) y += text.lineHeight;
  }
  return y;
}
