import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';

import { createZip } from './zip-writer.ts';

const at = new Date('2026-11-21T10:20:30Z');

function zipOf(files: Readonly<Record<string, Uint8Array>>, isCompressed = false): Buffer {
  const zip = createZip(at);
  const pieces: Uint8Array[] = [];
  for (const [name, content] of Object.entries(files)) {
    zip.add(name, content, { isCompressed });
    pieces.push(...zip.take());
  }
  zip.end();
  return Buffer.concat([...pieces, ...zip.take()]);
}

describe('a ZIP file', () => {
  it.each([true, false])('is read by others, file by file (left as it is: %s)', (isCompressed) => {
    const files = {
      'README.txt': Buffer.from('hello '.repeat(1000)),
      'qr/ABC.svg': Buffer.from('<svg/>'),
      'কোড.txt': Buffer.from('স্ক্যান'),
      empty: Buffer.alloc(0),
    };
    const read = unzipSync(zipOf(files, isCompressed));
    expect(Object.keys(read)).toEqual(Object.keys(files));
    for (const [name, content] of Object.entries(files)) {
      expect(Buffer.from(read[name] ?? []).equals(content)).toBe(true);
    }
  });

  it('is smaller than what is in it, and is told what not to compress', () => {
    const content = Buffer.from('a'.repeat(10_000));
    expect(zipOf({ a: content }).length).toBeLessThan(500);
    expect(zipOf({ a: content }, true).length).toBeGreaterThan(10_000);
  });

  it('says when its files were made, to two seconds', () => {
    const zip = zipOf({ a: Buffer.from('a') });
    const [time, date] = [zip.readUInt16LE(10), zip.readUInt16LE(12)];
    expect([time >> 11, (time >> 5) & 63, (time & 31) * 2]).toEqual([10, 20, 30]);
    expect([(date >> 9) + 1980, (date >> 5) & 15, date & 31]).toEqual([2026, 11, 21]);
  });

  it('may be empty', () => {
    expect(unzipSync(zipOf({}))).toEqual({});
  });

  it('holds more files than one directory page of any reader', () => {
    const files = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, n) => [`f${n}`, Buffer.from(String(n))]),
    );
    const read = unzipSync(zipOf(files, true));
    expect(Object.keys(read)).toHaveLength(3_000);
    expect(Buffer.from(read['f2999'] ?? []).toString()).toBe('2999');
  });
});
