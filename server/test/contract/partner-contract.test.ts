import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import type {
  Partner,
  PurchaseOrder,
  PurchaseResult,
} from '../../src/modules/fulfillment/partners/partner.ts';
import { aReference, openPartnerLab, partnerKinds } from './partner-lab.ts';
import type { PartnerLab } from './partner-lab.ts';

let lab: PartnerLab;
beforeAll(async () => {
  lab = await openPartnerLab();
});
afterEach(() => lab.clearFaults());
afterAll(() => lab.close());

/** A failure is an exception or an unknown result; the core treats both alike (purchases/ask-partner.ts). */
async function kindOf(partner: Partner, order: PurchaseOrder): Promise<PurchaseResult['kind'] | 'threw'> {
  return partner.purchase(order).then(
    (result) => result.kind,
    () => 'threw' as const,
  );
}

const codesOf = (result: { kind: string; codes?: readonly { code: string }[] }): string[] =>
  (result.codes ?? []).map(({ code }) => code);

for (const kind of partnerKinds) {
  const served = kind === 'reloadly-airtime' ? 'credited' : 'delivered';
  const delivers = served === 'delivered';

  describe(`a partner of kind ${kind}`, () => {
    it(`is ${served} one unit under our reference, and tells the same when asked about it`, async () => {
      const partner = lab.partner(kind);
      const order = lab.order(kind);
      const bought = await partner.purchase(order);
      expect(bought.kind).toBe(served);
      expect(codesOf(bought)).toHaveLength(delivers ? 1 : 0);
      const asked = await partner.query?.(order);
      expect(asked?.kind).toBe(served);
      expect(codesOf(asked ?? { kind: '' })).toEqual(codesOf(bought));
      expect(await lab.executions(order.reference)).toBe(1);
    });

    it('does not know a reference that was never sent', async () => {
      const order = lab.order(kind);
      expect((await lab.partner(kind).query?.(order))?.kind).toBe('not_found');
    });

    it('puts no code, pin or credential into what everybody may read', async () => {
      const order = lab.order(kind);
      const bought = await lab.partner(kind).purchase(order);
      const details = JSON.stringify(bought.details);
      for (const code of codesOf(bought)) expect(details).not.toContain(code);
      expect(details).not.toContain([...lab.tokens.kept.values()][0] ?? 'no token at all');
    });

    it('refuses for good what it will not sell', async () => {
      await lab.fault({ fault: 'declined' });
      const order = lab.order(kind);
      const result = await lab.partner(kind).purchase(order);
      expect(result.kind).toBe('refused');
      expect(await lab.executions(order.reference)).toBe(0);
    });

    it('calls an empty shelf a definite no: the next source is asked, or an operator', async () => {
      await lab.fault({ fault: 'out_of_stock' });
      const order = lab.order(kind);
      expect(await lab.partner(kind).purchase(order)).toMatchObject({ kind: 'refused' });
      expect(await lab.executions(order.reference)).toBe(0);
    });

    it('calls too many requests a no of this moment: nothing was executed', async () => {
      // The first call of airtime looks the operator up.
      await lab.fault({ fault: 'rate_limited', call: 'purchase' });
      const order = lab.order(kind);
      expect(await lab.partner(kind).purchase(order)).toMatchObject({ kind: 'refused', isTransient: true });
      expect(await lab.executions(order.reference)).toBe(0);
    });

    it('knows nothing for sure when the connection is cut after it executed', async () => {
      await lab.fault({ fault: 'unknown_result', call: 'purchase' });
      const order = lab.order(kind);
      expect(['threw', 'unknown']).toContain(await kindOf(lab.partner(kind), order));
      expect((await lab.partner(kind).query?.(order))?.kind).toBe(served);
    });

    it('knows nothing for sure when no answer comes in time', async () => {
      await lab.fault({ fault: 'timeout', call: 'purchase' });
      const order = lab.order(kind);
      expect(['threw', 'unknown']).toContain(await kindOf(lab.partner(kind), order));
      expect((await lab.partner(kind).query?.(order))?.kind).toBe(served);
    });

    it.each(['error_500', 'html'])('takes %s for no answer, never for a no', async (fault) => {
      await lab.fault({ fault, call: 'purchase' });
      const order = lab.order(kind);
      expect(await kindOf(lab.partner(kind), order)).toBe('unknown');
      expect((await lab.partner(kind).query?.(order))?.kind).toBe('not_found');
    });

    it.each(['error_500', 'html'])('takes %s to a question for no answer', async (fault) => {
      const order = lab.order(kind);
      await lab.partner(kind).purchase(order);
      await lab.fault({ fault, call: 'query' });
      expect((await lab.partner(kind).query?.(order))?.kind).toBe('unknown');
    });

    it('says that it is processing, and what came of it when asked later', async () => {
      await lab.fault({ fault: 'processing', call: 'purchase' });
      const order = lab.order(kind);
      expect((await lab.partner(kind).purchase(order)).kind).toBe('processing');
      expect((await lab.partner(kind).query?.(order))?.kind).toBe(served);
    });

    it('takes the same reference again for the same purchase, or sends us to look it up', async () => {
      const partner = lab.partner(kind);
      const order = lab.order(kind);
      const first = await partner.purchase(order);
      const second = await partner.purchase(order);
      expect(second.kind).toBe(served);
      expect(codesOf(second)).toEqual(codesOf(first));
      expect(await lab.executions(order.reference)).toBe(1);
    });

    it('tells what is left of our money, in minor units', async () => {
      const balance = await lab.partner(kind).readBalance?.();
      expect(Number.isInteger(balance?.amountMinor)).toBe(true);
      expect(balance?.currency).toMatch(/^(USD|BDT)$/);
      await lab.fault({ fault: 'low_balance' });
      expect((await lab.partner(kind).readBalance?.())?.amountMinor).toBe(500);
    });

    it('is refused by name of the field when it is configured by half', () => {
      expect(() => lab.partner(kind, { base_url: undefined })).toThrow(/config/);
      expect(() => lab.partner(kind, { timeout_seconds: 'soon' })).toThrow(/timeout_seconds/);
    });
  });
}

describe('partners that deliver codes', () => {
  it.each(['reloadly-gift-cards', 'generic'] as const)(
    '%s: success without a code is told as that',
    async (kind) => {
      await lab.fault({ fault: 'no_code' });
      const order = lab.order(kind);
      expect((await lab.partner(kind).purchase(order)).kind).toBe('without_code');
      expect((await lab.partner(kind).query?.(order))?.kind).toBe('without_code');
    },
  );

  it.each(['reloadly-gift-cards', 'generic'] as const)(
    '%s: a code given before comes through as it is',
    async (kind) => {
      const first = await lab.partner(kind).purchase(lab.order(kind));
      await lab.fault({ fault: 'repeat_code' });
      const second = await lab.partner(kind).purchase(lab.order(kind));
      expect(codesOf(second)).toEqual(codesOf(first));
    },
  );
});

describe('Reloadly', () => {
  it('asks for a token once, and again when it has expired, without buying twice', async () => {
    const order = lab.order('reloadly-gift-cards');
    await lab.partner('reloadly-gift-cards').purchase(lab.order('reloadly-gift-cards'));
    const before = lab.sent.length;
    await lab.fault({ fault: 'expired_token', call: 'purchase' });
    expect((await lab.partner('reloadly-gift-cards').purchase(order)).kind).toBe('delivered');
    const calls = lab.sent.slice(before).map(({ url }) => new URL(url).pathname.split('/')[1]);
    expect(calls).toEqual(['orders', 'oauth', 'orders', 'orders']);
    expect(await lab.executions(order.reference)).toBe(1);
  });

  it('refuses a number whose operator cannot be found before anything is bought', async () => {
    const order = lab.order('reloadly-airtime', { input: { account_id: '12' } });
    expect((await lab.partner('reloadly-airtime').purchase(order)).kind).toBe('refused');
  });

  it('throws before anything is sent when it grants no token', async () => {
    lab.tokens.kept.clear();
    await lab.fault({ fault: 'error_500', call: 'token' });
    await expect(lab.partner('reloadly-airtime').purchase(lab.order('reloadly-airtime'))).rejects.toThrow(
      /token/,
    );
  });
});

describe('the generic partner', () => {
  it('credits an account when that is what was ordered', async () => {
    const order = lab.order('generic', { mode: 'TOPUP', input: { player_id: '12345678' } });
    expect((await lab.partner('generic').purchase(order)).kind).toBe('credited');
  });

  it('does not believe an answer about another reference', async () => {
    const order = lab.order('generic');
    await lab.partner('generic').purchase(order);
    const query = { path: `/purchases/${order.reference}` };
    const other = { ...order, reference: aReference() };
    expect((await lab.partner('generic', { query }).query?.(other))?.kind).toBe('unknown');
  });

  it('has no question where none is configured', () => {
    expect(lab.partner('generic', { query: undefined }).query).toBeUndefined();
  });
});
