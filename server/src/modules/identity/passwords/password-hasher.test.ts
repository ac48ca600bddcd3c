import { describe, expect, it } from 'vitest';

import { AppError } from '../../../platform/errors.ts';
import { createPasswordHasher } from './password-hasher.ts';

describe('hashing passwords', () => {
  it('makes argon2id hashes of 19 MiB and two passes, each with its own salt', async () => {
    const hasher = createPasswordHasher();
    const [first, second] = [await hasher.hash('a long password'), await hasher.hash('a long password')];
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(second).not.toBe(first);
    expect(await hasher.verify(first, 'a long password')).toBe(true);
    expect(await hasher.verify(first, 'another password')).toBe(false);
  });

  it('answers no for an account that does not exist, whatever the password', async () => {
    const hasher = createPasswordHasher();
    expect(await hasher.verify(undefined, 'a long password')).toBe(false);
    expect(await hasher.verify(undefined, 'the password of an account that does not exist')).toBe(false);
  });

  it('does two at a time, lets 20 wait, and sends the rest away with 503 and a time to come back', async () => {
    const hasher = createPasswordHasher();
    const stored = await hasher.hash('a long password');
    const tries = Array.from({ length: 100 }, () => hasher.verify(stored, 'a long password'));
    const settled = await Promise.allSettled(tries);
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(settled.filter((one) => one.status === 'fulfilled')).toHaveLength(22);
    expect(refused).toHaveLength(78);
    expect(refused[0]).toBeInstanceOf(AppError);
    expect(refused[0]).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503, retryAfterSeconds: 1 });
  });
});
