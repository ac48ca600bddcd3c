import { randomBytes } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { createSecretBox } from './secret-box.ts';

const digesting = randomBytes(32);
const old = { id: 'k1', key: randomBytes(32) };
const fresh = { id: 'k2', key: randomBytes(32) };

describe('the secret box', () => {
  const box = createSecretBox({ sealing: [fresh, old], digesting });

  it('opens what it sealed, in the same place only', () => {
    const sealed = box.seal('ABCD-১২৩', 'vouchers.code');
    expect(box.open(sealed, 'vouchers.code')).toBe('ABCD-১২৩');
    expect(() => box.open(sealed, 'vouchers.pin')).toThrow(/authenticate/);
  });

  it('seals the same text differently each time and never shows it', () => {
    const [a, b] = [box.seal('SAME-CODE', 'c'), box.seal('SAME-CODE', 'c')];
    expect(a.equals(b)).toBe(false);
    expect(a.includes('SAME-CODE')).toBe(false);
  });

  it('notices a change of any single byte', () => {
    const sealed = box.seal('code', 'c');
    for (let at = 0; at < sealed.length; at += 1) {
      const torn = Buffer.from(sealed);
      torn[at] = (torn[at] ?? 0) ^ 1;
      expect(() => box.open(torn, 'c'), `byte ${at}`).toThrow(
        /authenticate|No vault key|auth tag|initialization/i,
      );
    }
  });

  it('opens values of an older key and names the key that is missing', () => {
    const sealed = createSecretBox({ sealing: [old], digesting }).seal('code', 'c');
    expect(box.open(sealed, 'c')).toBe('code');
    expect(box.keyIdOf(sealed)).toBe('k1');
    const without = createSecretBox({ sealing: [fresh], digesting });
    expect(() => without.open(sealed, 'c')).toThrow('No vault key with id "k1"');
  });

  it('digests equal texts alike, under its key and for one place', () => {
    expect(box.digest('code', 'a').equals(box.digest('code', 'a'))).toBe(true);
    expect(box.digest('code', 'a').equals(box.digest('code', 'b'))).toBe(false);
    const other = createSecretBox({ sealing: [fresh], digesting: randomBytes(32) });
    expect(box.digest('code', 'a').equals(other.digest('code', 'a'))).toBe(false);
  });

  it('refuses keys of another length and no key at all', () => {
    expect(() => createSecretBox({ sealing: [], digesting })).toThrow('at least one key');
    expect(() => createSecretBox({ sealing: [{ id: 'x', key: randomBytes(16) }], digesting })).toThrow(
      '32 bytes',
    );
  });
});
