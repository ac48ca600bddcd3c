import { describe, expect, it } from 'vitest';

import { A4_MM, checkModuleSize, layOutSheet, SHEET_PRESETS } from './sheet-layout-rules.ts';
import type { Box } from './sheet-layout-rules.ts';

const contains = (outer: Box, inner: Box): boolean =>
  inner.x >= outer.x - 1e-9 &&
  inner.y >= outer.y - 1e-9 &&
  inner.x + inner.width <= outer.x + outer.width + 1e-9 &&
  inner.y + inner.height <= outer.y + outer.height + 1e-9;
const overlap = (one: Box, other: Box): boolean =>
  one.x + one.width > other.x + 1e-9 &&
  other.x + other.width > one.x + 1e-9 &&
  one.y + one.height > other.y + 1e-9 &&
  other.y + other.height > one.y + 1e-9;

describe.each(SHEET_PRESETS)('the %s sheet', (preset) => {
  const cards = layOutSheet(preset);

  it('has as many cards as its name says, on the paper, none over another', () => {
    const [across = 0, down = 0] = preset.split('x').map(Number);
    expect(cards).toHaveLength(across * down);
    for (const [index, { outline }] of cards.entries()) {
      expect(contains({ x: 8, y: 8, width: A4_MM.width - 16, height: A4_MM.height - 16 }, outline)).toBe(
        true,
      );
      expect(cards.slice(index + 1).some((later) => overlap(outline, later.outline))).toBe(false);
    }
  });

  it('keeps QR code and text inside their card and apart', () => {
    for (const { outline, qr, text } of cards) {
      expect(contains(outline, qr)).toBe(true);
      expect(contains(outline, text)).toBe(true);
      expect(overlap(qr, text)).toBe(false);
    }
  });

  it('prints no module below 0.4 mm', () => {
    const side = cards[0]?.qr.width ?? 0;
    const most = Math.floor(side / 0.4);
    expect(() => checkModuleSize(preset, most)).not.toThrow();
    expect(() => checkModuleSize(preset, most + 1)).toThrow('below 0.4 mm');
  });
});
