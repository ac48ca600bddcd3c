import { create } from 'qrcode';

/** White space around a QR code that scanners need, in modules. */
export const QUIET_ZONE_MODULES = 4;

/** The squares of a QR code, without its quiet zone. */
export interface QrMatrix {
  /** Modules on each side. */
  readonly size: number;
  /** Row by row; not 0 is dark. */
  readonly modules: Uint8Array;
}

/** Error correction M: 15 % of it may be dirty or torn. */
export function encodeQr(text: string): QrMatrix {
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
  return { size, modules: data };
}

/** Modules on each side with the quiet zone. */
export function outerModules(matrix: QrMatrix): number {
  return matrix.size + 2 * QUIET_ZONE_MODULES;
}

/**
 * Calls `draw` for each run of dark modules in a row, from its left end, counting in the quiet zone. There are some
 * three hundred in each code: millions in a print, so no list of them is made.
 */
export function drawDarkRuns(
  { size, modules }: QrMatrix,
  draw: (x: number, y: number, length: number) => void,
): void {
  for (let y = 0; y < size; y += 1) {
    let x = 0;
    while (x < size) {
      const start = x;
      while (x < size && modules[y * size + x] !== 0) x += 1;
      if (x > start) draw(start + QUIET_ZONE_MODULES, y + QUIET_ZONE_MODULES, x - start);
      x += 1;
    }
  }
}
