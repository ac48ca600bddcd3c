import { fieldError } from '../../../platform/errors.ts';

/** How the cards of a printed sheet lie on A4. Pure; millimetres throughout, from the top left corner. */
export const SHEET_PRESETS = ['3x8', '4x6', '2x5'] as const;
export type SheetPreset = (typeof SHEET_PRESETS)[number];

export const A4_MM = { width: 210, height: 297 } as const;
/** What office printers leave white. */
const PAGE_MARGIN_MM = 8;
const CARD_PADDING_MM = 2.5;
/** Below this a phone held in the hand does not read it reliably. */
const SMALLEST_MODULE_MM = 0.4;

interface Preset {
  readonly columns: number;
  readonly rows: number;
  /** Side of the QR code with its quiet zone. */
  readonly qrMm: number;
  /** The text stands beside the QR code or below it. */
  readonly text: 'beside' | 'below';
}

const presets: Readonly<Record<SheetPreset, Preset>> = {
  '3x8': { columns: 3, rows: 8, qrMm: 29, text: 'beside' },
  '4x6': { columns: 4, rows: 6, qrMm: 27, text: 'below' },
  '2x5': { columns: 2, rows: 5, qrMm: 48, text: 'beside' },
};

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Card {
  readonly outline: Box;
  readonly qr: Box;
  readonly text: Box;
}

/**
 * @param outerModules of the QR codes to be printed, quiet zone included.
 * @throws AppError VALIDATION_ERROR, field `base_url`, when the links are too long to be printed this small.
 */
export function checkModuleSize(name: SheetPreset, outerModules: number): void {
  const moduleMm = presets[name].qrMm / outerModules;
  if (moduleMm >= SMALLEST_MODULE_MM) return;
  throw fieldError(
    'base_url',
    `With links this long a module of the ${name} sheet would be ${moduleMm.toFixed(2)} mm, below ` +
      `${SMALLEST_MODULE_MM} mm: choose a larger card or a shorter base_url`,
  );
}

/** Where the cards of a page lie, row by row. */
export function layOutSheet(name: SheetPreset): Card[] {
  const preset = presets[name];
  const width = (A4_MM.width - 2 * PAGE_MARGIN_MM) / preset.columns;
  const height = (A4_MM.height - 2 * PAGE_MARGIN_MM) / preset.rows;
  return Array.from({ length: preset.columns * preset.rows }, (_, index) => {
    const x = PAGE_MARGIN_MM + (index % preset.columns) * width;
    const y = PAGE_MARGIN_MM + Math.floor(index / preset.columns) * height;
    return layOutCard(preset, { x, y, width, height });
  });
}

function layOutCard(preset: Preset, outline: Box): Card {
  const { x, y, width, height } = outline;
  const side = preset.qrMm;
  const inner = { width: width - 2 * CARD_PADDING_MM, height: height - 2 * CARD_PADDING_MM };
  if (preset.text === 'beside') {
    return {
      outline,
      qr: { x: x + CARD_PADDING_MM, y: y + (height - side) / 2, width: side, height: side },
      text: {
        x: x + CARD_PADDING_MM + side,
        y: y + CARD_PADDING_MM,
        width: inner.width - side,
        height: inner.height,
      },
    };
  }
  return {
    outline,
    qr: { x: x + (width - side) / 2, y: y + CARD_PADDING_MM / 2, width: side, height: side },
    text: {
      x: x + CARD_PADDING_MM,
      y: y + CARD_PADDING_MM / 2 + side,
      width: inner.width,
      height: inner.height - side + CARD_PADDING_MM / 2,
    },
  };
}
