import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { aCampaign, redeem } from '../support/campaigns.ts';
import type { Redeemed } from '../support/campaigns.ts';
import { expectInvariants } from '../support/invariants.ts';
import { anOperator } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import type { Answered } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let one: TestService;
let two: TestService;
let operator: Operator;
const environment = { TRUST_PROXY: '127.0.0.1/32' };
beforeAll(async () => {
  one = await startTestService({ environment });
  two = await startTestService({ environment, beside: one });
  operator = await anOperator(one);
});
afterAll(async () => {
  await two.close();
  await one.close();
});

function tally(answers: readonly Answered<Redeemed>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, data } of answers) {
    const outcome = status === 200 ? 'redeemed' : data.code;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

const everywhere = (n: number, ask: (at: TestService, index: number) => Promise<Answered<Redeemed>>) =>
  Promise.all(Array.from({ length: n }, (_, index) => ask(index % 2 === 0 ? one : two, index)));

/** Interface part 4, redeem rule 1, over HTTP on two processes. */
describe('redeeming over HTTP at once', () => {
  it('gives a code to one of a thousand', { timeout: 60_000 }, async () => {
    const { tokens } = await aCampaign(one, operator, { codes: 1 });
    const answers = await everywhere(1000, (at, n) =>
      redeem(at, tokens[0], { ip: `10.1.${n >> 8}.${n & 255}` }),
    );
    expect(tally(answers)).toEqual({ redeemed: 1, already_redeemed: 999 });
  });

  it('gives one address no more than max_per_ip of 64', async () => {
    const { tokens } = await aCampaign(one, operator, { codes: 64, max_per_ip: 3 });
    const answers = await everywhere(64, (at, n) => redeem(at, tokens[n], { ip: '192.0.2.64' }));
    expect(tally(answers)).toEqual({ redeemed: 3, ip_limit_reached: 61 });
    const given = answers.filter(({ status }) => status === 200).map(({ data }) => data.voucher_code);
    expect(new Set(given).size).toBe(3);
    await expectInvariants(one.db);
  });

  it('sends one letter to whoever asks for it many times', async () => {
    const { tokens } = await aCampaign(one, operator, { codes: 1 });
    const from = { ip: '192.0.2.65', email: 'often@example.com' };
    await redeem(one, tokens[0], from);
    await everywhere(20, (at) => redeem(at, tokens[0], from));
    const { rows } = await one.db.query(`SELECT 1 FROM mail_messages WHERE recipient = 'often@example.com'`);
    expect(rows).toHaveLength(1);
  });
});
