import { inflateSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import { encodeQr, outerModules } from './qr-matrix.ts';
import { toPng, toSvg } from './qr-image.ts';
import { decodeQr, pixelsOfPng, pixelsOfSvg } from './test-decode.ts';

const url = 'https://shop.example/redeem/ABCDEFGHJ';

describe('a QR picture', () => {
  it('reads back from SVG and from PNG', () => {
    const matrix = encodeQr(url);
    expect(decodeQr(pixelsOfSvg(toSvg(matrix)))).toBe(url);
    expect(decodeQr(pixelsOfPng(toPng(matrix)))).toBe(url);
  });

  it('has a quiet zone of four modules on every side', () => {
    const matrix = encodeQr(url);
    const side = outerModules(matrix);
    expect(side).toBe(matrix.size + 8);
    const pixels = pixelsOfPng(toPng(matrix));
    const { width } = pixels;
    const scale = width / side;
    const dark = { left: width, top: width, right: 0, bottom: 0 };
    for (let y = 0; y < width; y += 1) {
      for (let x = 0; x < width; x += 1) {
        if (!pixels.isDark(x, y)) continue;
        dark.left = Math.min(dark.left, x);
        dark.right = Math.max(dark.right, x);
        dark.top = Math.min(dark.top, y);
        dark.bottom = Math.max(dark.bottom, y);
      }
    }
    const margin = 4 * scale;
    expect(dark).toEqual({
      left: margin,
      top: margin,
      right: width - margin - 1,
      bottom: width - margin - 1,
    });
  });

  it('is printed with modules of 0.6 mm when nobody scales it', () => {
    const matrix = encodeQr(url);
    expect(toSvg(matrix)).toContain(`width="${(outerModules(matrix) * 0.6).toFixed(1)}mm"`);
    const png = toPng(matrix);
    const density = png.readUInt32BE(png.indexOf('pHYs') + 4);
    expect((16_000 / density).toFixed(3)).toBe('0.600');
  });

  it('is a PNG that others can check: chunks, lengths and all rows', () => {
    const png = toPng(encodeQr(url));
    expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    const start = png.indexOf('IDAT');
    const rows = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
    const width = png.readUInt32BE(16);
    expect(rows.length).toBe(width * (1 + width / 8));
  });
});
