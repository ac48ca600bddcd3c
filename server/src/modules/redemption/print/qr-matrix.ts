import { create } from 'qrcode';

/** White space around a QR code that scanners need, in modules. */
export const QUIET_ZONE_MODULES = 4;

/** A run of dark modules in one row. */
export interface DarkRun {
  readonly x: number;
  readonly y: number;
  readonly length: number;
}

/** The squares of a QR code, without its quiet zone. */
export interface QrMatrix {
  /** Modules on each side. */
  readonly size: number;
  readonly darkRuns: readonly DarkRun[];
}

/** Error correction M: 15 % of it may be dirty or torn. */
export function encodeQr(text: string): QrMatrix {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const { size, data } = modules;
  const darkRuns: DarkRun[] = [];
  for (let y = 0; y < size; y += 1) {
    let x = 0;
    while (x < size) {
      const start = x;
      while (x < size && data[y * size + x]) x += 1;
      if (x > start) darkRuns.push({ x: start, y, length: x - start });
      x += 1;
    }
  }
  return { size, darkRuns };
}

/** Modules on each side with the quiet zone. */
export function outerModules(matrix: QrMatrix): number {
  return matrix.size + 2 * QUIET_ZONE_MODULES;
}
