import PdfKit from 'pdfkit';

import type { PrintTask, PrintWriter } from './print-task.ts';
import { toPrintedCode } from './printed-code.ts';
import type { PrintedCode } from './printed-code.ts';
import { drawDarkRuns, outerModules } from './qr-matrix.ts';
import { layOutSheet } from './sheet-layout-rules.ts';
import type { Box, Card, SheetPreset } from './sheet-layout-rules.ts';
import { drawText, layOutText, registerFonts } from './sheet-text.ts';
import type { LaidOutText } from './sheet-text.ts';

const POINTS_PER_MM = 72 / 25.4;
const points = (mm: number): number => mm * POINTS_PER_MM;

type Pdf = PDFKit.PDFDocument;

export interface SheetOptions {
  readonly preset: SheetPreset;
  readonly cutLines: boolean;
}

/**
 * A printable PDF: vector QR codes with their quiet zone, headline, call to action, the code in clear and a serial
 * number. The document is read as it grows, so memory does not grow with it.
 */
export function startSheet(task: PrintTask, options: SheetOptions): PrintWriter {
  const pdf = new PdfKit({
    size: 'A4',
    margin: 0,
    autoFirstPage: false,
    info: { Title: `${task.campaign.name}: ${task.total} codes` },
  });
  registerFonts(pdf);
  const cards = layOutSheet(options.preset);
  let texts: CardTexts | undefined;
  let printed = 0;
  return {
    add(token) {
      const place = printed % cards.length;
      const card = cards[place];
      if (!card) throw new Error('The sheet has no card at this place');
      if (place === 0) startPage(pdf, cards, options);
      printed += 1;
      const code = toPrintedCode(printed, token, task.baseUrl);
      texts ??= layOutTexts(pdf, task, card.text);
      drawQr(pdf, code, card);
      drawTexts(pdf, texts, { code, card, total: task.total });
    },
    take: () => readAvailable(pdf),
    async end() {
      if (printed === 0) pdf.addPage();
      pdf.end();
      const pieces: Buffer[] = [];
      for await (const piece of pdf as unknown as AsyncIterable<Buffer>) pieces.push(piece);
      return pieces;
    },
  };
}

function readAvailable(pdf: Pdf): Buffer[] {
  const pieces: Buffer[] = [];
  for (;;) {
    const piece = (pdf as unknown as NodeJS.ReadableStream).read() as Buffer | null;
    if (piece === null) return pieces;
    pieces.push(piece);
  }
}

function startPage(pdf: Pdf, cards: readonly Card[], options: SheetOptions): void {
  pdf.addPage();
  if (!options.cutLines) return;
  pdf.save().lineWidth(0.25).dash(2, { space: 2 });
  for (const { outline } of cards) {
    pdf.rect(points(outline.x), points(outline.y), points(outline.width), points(outline.height));
  }
  pdf.stroke('#999').restore();
}

/**
 * One path of whole modules, scaled: small, exact, and without seams between rows. Codes of another length than the
 * first have more or fewer modules in the same square.
 */
function drawQr(pdf: Pdf, { matrix }: PrintedCode, { qr }: Card): void {
  const module = points(qr.width) / outerModules(matrix);
  let path = '';
  drawDarkRuns(matrix, (x, y, length) => {
    path += `${x} ${y} ${length} 1 re\n`;
  });
  pdf.save().translate(points(qr.x), points(qr.y)).scale(module).fillColor('black');
  (pdf as unknown as { addContent(operators: string): void }).addContent(`${path}f`);
  pdf.restore();
}

interface CardTexts {
  readonly headline: LaidOutText;
  readonly callToAction: LaidOutText;
  readonly place: LaidOutText;
  readonly codeSize: number;
  readonly noteSize: number;
}

const CODE_SPACING = 0.6;

/** Sizes of text in points; which of them by the height of the room there is. */
const SIZES = {
  small: { headline: 7.5, callToAction: 7, code: 9, note: 6, lines: 1 },
  medium: { headline: 9, callToAction: 7, code: 11, note: 6, lines: 2 },
  large: { headline: 14, callToAction: 10.5, code: 17, note: 8, lines: 2 },
} as const;

function sizesFor(box: Box): (typeof SIZES)[keyof typeof SIZES] {
  if (box.height > 40) return SIZES.large;
  return box.height > 20 ? SIZES.medium : SIZES.small;
}

/** The same on every card, so broken into lines once. */
function layOutTexts(pdf: Pdf, task: PrintTask, box: Box): CardTexts {
  const { name, headline, cta_text: callToAction } = task.campaign;
  const width = points(box.width);
  const sizes = sizesFor(box);
  const { lines } = sizes;
  const place = `${task.baseUrl.replace(/^https?:\/\//, '')}/redeem`;
  const style = { weight: 'regular', width, lines } as const;
  return {
    headline: layOutText(pdf, headline ?? name, { ...style, size: sizes.headline, weight: 'bold' }),
    callToAction: layOutText(pdf, callToAction ?? '', { ...style, size: sizes.callToAction }),
    place: layOutText(pdf, place, { ...style, size: sizes.note, lines: 1 }),
    codeSize: sizes.code,
    noteSize: sizes.note,
  };
}

function drawTexts(pdf: Pdf, texts: CardTexts, on: { code: PrintedCode; card: Card; total: number }): void {
  const { code, card, total } = on;
  const x = points(card.text.x);
  pdf.fillColor('black');
  let y = drawText(pdf, texts.headline, { x, y: points(card.text.y) });
  y = drawText(pdf, texts.callToAction, { x, y: y + 1 });
  const size = fittingCodeSize(code.token, { width: points(card.text.width), size: texts.codeSize });
  pdf.font('Courier-Bold').fontSize(size);
  pdf.text(code.token, x, y + 4, { lineBreak: false, characterSpacing: CODE_SPACING });
  y = drawText(pdf, texts.place, { x, y: y + 4 + size });
  pdf.font('Helvetica').fontSize(texts.noteSize);
  pdf.text(`${code.serial} / ${total}`, x, y + 1, { lineBreak: false });
}

/** Letters of Courier are 0.6 of their size wide: a long code is printed smaller. */
function fittingCodeSize(token: string, room: { width: number; size: number }): number {
  const widest = room.width / token.length - CODE_SPACING;
  return Math.min(room.size, widest / 0.6);
}
