import { describe, expect, it } from 'vitest';

import { createRedeemLines } from './redeem-lines.ts';

const code = Buffer.from('one');

/** Somebody who stands in line and answers when told to. */
function aRedeem(lines: ReturnType<typeof createRedeemLines>, tokenDigest = code) {
  const asked: boolean[] = [];
  let finish: (outcome: string) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const answered = new Promise<{ outcome: string }>((resolve, reject) => {
    finish = (outcome) => resolve({ outcome });
    fail = reject;
  });
  const result = lines.stand(tokenDigest, (wasUnderway) => {
    asked.push(wasUnderway);
    return answered;
  });
  return { asked, result, finish, fail };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the line for one code', () => {
  it('lets one ask at a time until somebody takes the code, then all, who were under way', async () => {
    const lines = createRedeemLines();
    const [first, second, third, fourth] = [1, 2, 3, 4].map(() => aRedeem(lines));
    first?.finish('not_started');
    await first?.result;
    await settle();
    expect([second, third, fourth].map((redeem) => redeem?.asked)).toEqual([[false], [], []]);
    second?.finish('redeemed');
    await second?.result;
    await settle();
    expect([third, fourth].map((redeem) => redeem?.asked)).toEqual([[true], [true]]);
  });

  it('counts whoever joins before it is empty as under way, and nobody after', async () => {
    const lines = createRedeemLines();
    const first = aRedeem(lines);
    const second = aRedeem(lines);
    first.finish('redeemed');
    await first.result;
    const late = aRedeem(lines);
    expect(late.asked).toEqual([true]);
    second.finish('already_redeemed');
    late.finish('already_redeemed');
    await Promise.all([second.result, late.result]);
    expect(aRedeem(lines).asked).toEqual([false]);
  });

  it('lets no more than eight ask at once when the code is taken, and forgets nobody', async () => {
    const lines = createRedeemLines();
    const redeems = Array.from({ length: 20 }, () => aRedeem(lines));
    redeems[0]?.finish('redeemed');
    await redeems[0]?.result;
    await settle();
    const asking = () => redeems.filter((redeem) => redeem.asked.length === 1).length;
    expect(asking()).toBe(1 + 8);
    for (const redeem of redeems) redeem.finish('already_redeemed');
    await Promise.all(redeems.map((redeem) => redeem.result));
    expect(asking()).toBe(20);
    expect(aRedeem(lines).asked).toEqual([false]);
  });

  it('goes on when somebody in it fails', async () => {
    const lines = createRedeemLines();
    const first = aRedeem(lines);
    const second = aRedeem(lines);
    first.fail(new Error('the database is away'));
    await expect(first.result).rejects.toThrow('away');
    await settle();
    expect(second.asked).toEqual([false]);
  });

  it('holds up nobody with another code', () => {
    const lines = createRedeemLines();
    aRedeem(lines);
    expect(aRedeem(lines, Buffer.from('two')).asked).toEqual([false]);
  });
});
