/** The least of a file of each format that says how large it is. For tests only. */
export const imageHeads = {
  png: (width, height) => text('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', u32(width), u32(height), '\b\x02\0\0\0'),
  jpg: (width, height) =>
    text('\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc4\0\x03c\xff\xc2\0\x11\b', u16(height), u16(width), '\x03'),
  gif: (width, height) => text('GIF89a', u16(width).toReversed(), u16(height).toReversed()),
  webp: (width, height) =>
    text('RIFF\0\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0', u24(width - 1).toReversed(), u24(height - 1).toReversed()),
  avif: (width, height) =>
    text(
      '\0\0\0\x20ftypavif\0\0\0\0',
      'ispe\0\0\0\0',
      u32(1),
      u32(1),
      'ispe\0\0\0\0',
      u32(width),
      u32(height),
    ),
} satisfies Record<string, (width: number, height: number) => Buffer>;

export type ImageFormat = keyof typeof imageHeads;

/** A file of this format, filled up to `bytes`. */
export function anImage(
  format: ImageFormat,
  more: { readonly width?: number; readonly height?: number; readonly bytes?: number } = {},
): Buffer {
  const { width = 2, height = 3, bytes = 64 } = more;
  const file = Buffer.alloc(bytes);
  imageHeads[format](width, height).copy(file);
  return file;
}

const text = (...parts: (string | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
const u32 = (value: number): Buffer => uint(value, 4);
const u24 = (value: number): Buffer => uint(value, 3);
const u16 = (value: number): Buffer => uint(value, 2);

function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}
