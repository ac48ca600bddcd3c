import { describe, expect, it } from 'vitest';

import { imageSizeOf } from './image-size.ts';
import { anImage, imageHeads } from './test-images.ts';
import type { ImageFormat } from './test-images.ts';

const formats = Object.keys(imageHeads) as ImageFormat[];
const webp = (kind: string, hex: string): Buffer =>
  Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${kind}\0\0\0\0`, 'latin1'), Buffer.from(hex, 'hex')]);

describe('imageSizeOf', () => {
  it.each(formats)('reads how large a %s is', (format) => {
    expect(imageSizeOf(anImage(format, { width: 1_234, height: 765 }), format)).toEqual({
      width: 1_234,
      height: 765,
    });
  });

  it('reads the other two kinds of WebP', () => {
    expect(imageSizeOf(webp('VP8L', '2fd1c4be00'), 'webp')).toEqual({ width: 1_234, height: 764 });
    expect(imageSizeOf(webp('VP8 ', '0000009d012ad204fd02'), 'webp')).toEqual({
      width: 1_234,
      height: 765,
    });
    expect(imageSizeOf(webp('ALPH', '00'.repeat(40)), 'webp')).toBeUndefined();
  });

  it.each(formats)('knows nothing of a %s that is cut anywhere in its head', (format) => {
    const whole = imageHeads[format](1_234, 765);
    for (let bytes = 0; bytes < whole.length - 5; bytes += 1) {
      const size = imageSizeOf(whole.subarray(0, bytes), format);
      // An AVIF may say the size of a smaller part before it is cut.
      expect(size === undefined || (format === 'avif' && size.width === 1)).toBe(true);
    }
  });

  it('knows nothing of other formats, and ends on a file of fillers', () => {
    expect(imageSizeOf(Buffer.from('<svg width="5" height="5"/>'), 'svg')).toBeUndefined();
    expect(imageSizeOf(Buffer.alloc(5 * 1024 * 1024, 0xff), 'jpg')).toBeUndefined();
    expect(imageSizeOf(Buffer.alloc(1024), 'jpg')).toBeUndefined();
  });
});
