import { createHash } from 'node:crypto';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createDigestSet } from './digest-set.ts';

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

describe('a set of digests', () => {
  it('knows exactly what it has seen, as a plain set does', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 2_000 }), (numbers) => {
        const ours = createDigestSet();
        const plain = new Set<number>();
        for (const number of numbers) {
          expect(ours.add(digestOf(String(number)))).toBe(!plain.has(number));
          plain.add(number);
        }
      }),
    );
  });

  it('keeps what it has when it grows, and tells digests apart that begin alike', () => {
    const set = createDigestSet();
    const digests = Array.from({ length: 5_000 }, (_, index) => {
      const digest = digestOf(String(index));
      digest.writeUInt32LE(index % 7, 0);
      return digest;
    });
    expect(digests.every((digest) => set.add(digest))).toBe(true);
    expect(digests.some((digest) => set.add(digest))).toBe(false);
  });
});
