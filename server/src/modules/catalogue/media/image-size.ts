/** How large a picture says it is, by its first bytes and without unpacking it. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** @param extension what `imageTypeOf` found. @returns undefined when the file does not say. */
export function imageSizeOf(file: Buffer, extension: string): ImageSize | undefined {
  // Reading beyond the end of a cut file throws.
  try {
    return READERS[extension]?.(file);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const READERS: Readonly<Record<string, (file: Buffer) => ImageSize | undefined>> = {
  png: (file) => ({ width: file.readUInt32BE(16), height: file.readUInt32BE(20) }),
  gif: (file) => ({ width: file.readUInt16LE(6), height: file.readUInt16LE(8) }),
  jpg: jpegSizeOf,
  webp: webpSizeOf,
  avif: avifSizeOf,
};

/** The frame header says it: one of the markers C0 to CF that is neither a table (C4, CC) nor reserved (C8). */
function jpegSizeOf(file: Buffer): ImageSize | undefined {
  let at = 2;
  for (;;) {
    if (file.readUInt8(at) !== 0xff) return undefined;
    const marker = file.readUInt8(at + 1);
    // Any number of FF may fill the room before a marker.
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) };
    else at += 2 + file.readUInt16BE(at + 2);
  }
}

function webpSizeOf(file: Buffer): ImageSize | undefined {
  switch (file.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = file.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** The largest of its parts: thumbnails and tiles say theirs too. All of it stands before the picture itself. */
function avifSizeOf(file: Buffer): ImageSize | undefined {
  const head = file.subarray(0, 64 * 1024);
  let largest: ImageSize | undefined;
  for (let at = head.indexOf('ispe'); at >= 0; at = head.indexOf('ispe', at + 4)) {
    const size = { width: file.readUInt32BE(at + 8), height: file.readUInt32BE(at + 12) };
    if (!largest || size.width * size.height > largest.width * largest.height) largest = size;
  }
  return largest;
}
