import { crc32, deflateRawSync } from 'node:zlib';

/**
 * A ZIP file written front to back. Written here because a library keeps objects of each file until the end, 30 MB for
 * ten thousand small ones, and deflates ten times slower than Node does; this keeps the 60 bytes of a directory entry.
 * Up to 65,535 files and 4 GB: no more is ever asked for.
 */
export interface ZipWriter {
  /** @param options.isCompressed leaves it as it is. */
  add(name: string, content: Uint8Array, options?: { readonly isCompressed: boolean }): void;
  /** Writes the directory; nothing can be added afterwards. */
  end(): void;
  /** What has been written since the last time. */
  take(): Uint8Array[];
}

const LOCAL_HEADER = 0x04034b50;
const DIRECTORY_ENTRY = 0x02014b50;
const DIRECTORY_END = 0x06054b50;
/** 2.0: deflated files. */
const VERSION = 20;
/** File names are UTF-8. */
const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
const STORED = 0;

export function createZip(modifiedAt: Date): ZipWriter {
  let written: Uint8Array[] = [];
  let bytes = 0;
  const directory = createGrowingBytes();
  let entries = 0;
  const write = (...pieces: Uint8Array[]): void => {
    for (const piece of pieces) {
      written.push(piece);
      bytes += piece.length;
    }
  };
  return {
    add(name, content, options) {
      const stored = options?.isCompressed === true ? content : deflateRawSync(content);
      const fields = fieldsOf({ name, content, stored, modifiedAt });
      directory.append(directoryEntry(fields, name, bytes));
      entries += 1;
      write(signed(LOCAL_HEADER, fields), Buffer.from(name), stored);
    },
    end() {
      const start = bytes;
      write(directory.bytes());
      write(directoryEnd({ entries, start, length: bytes - start }));
    },
    take() {
      const pieces = written;
      written = [];
      return pieces;
    },
  };
}

interface GrowingBytes {
  append(piece: Uint8Array): void;
  bytes(): Uint8Array;
}

/** One block of memory, and not a list of small ones: each of those would keep the 8 kB alive that Node cut it from. */
function createGrowingBytes(): GrowingBytes {
  let block = new Uint8Array(64 * 1024);
  let used = 0;
  return {
    append(piece) {
      if (used + piece.length > block.length) {
        const larger = new Uint8Array(2 * block.length + piece.length);
        larger.set(block);
        block = larger;
      }
      block.set(piece, used);
      used += piece.length;
    },
    bytes: () => block.subarray(0, used),
  };
}

/** The 26 bytes that local header and directory entry have in common. */
function fieldsOf(file: { name: string; content: Uint8Array; stored: Uint8Array; modifiedAt: Date }): Buffer {
  const { name, content, stored, modifiedAt } = file;
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(VERSION, 0);
  fields.writeUInt16LE(UTF8_NAMES, 2);
  fields.writeUInt16LE(stored === content ? STORED : DEFLATED, 4);
  fields.writeUInt32LE(dosTime(modifiedAt), 6);
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(stored.length, 14);
  fields.writeUInt32LE(content.length, 18);
  fields.writeUInt16LE(Buffer.byteLength(name), 22);
  return fields;
}

/** Date and time in two seconds, as MS-DOS kept them; UTC. */
function dosTime(at: Date): number {
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return date * 0x10000 + time;
}

function signed(signature: number, fields: Buffer): Buffer {
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(signature);
  return Buffer.concat([mark, fields]);
}

function directoryEntry(fields: Buffer, name: string, offset: number): Buffer {
  const madeBy = Buffer.alloc(2);
  madeBy.writeUInt16LE(VERSION);
  // No comment, first disk, no attributes.
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([signed(DIRECTORY_ENTRY, madeBy), fields, rest, Buffer.from(name)]);
}

function directoryEnd(directory: { entries: number; start: number; length: number }): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(DIRECTORY_END, 0);
  end.writeUInt16LE(directory.entries, 8);
  end.writeUInt16LE(directory.entries, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(directory.start, 16);
  return end;
}
