import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { DeliveredCode, QueryResult } from '../partners/partner.ts';
import {
  QUERY_SCHEDULE_SECONDS,
  chooseNextPurchase,
  judgeResult,
  refusedByOperator,
} from './purchase-rules.ts';
import type { AskedPurchase, PastPurchase } from './purchase-rules.ts';
import { standingOfItem } from './standing-rules.ts';

const asked = (changes: Partial<AskedPurchase> = {}): AskedPurchase => ({
  status: 'UNKNOWN',
  mode: 'CODE',
  secondsSinceFirstCall: 0,
  secondsSinceLastCall: 0,
  questions: 0,
  canQuery: true,
  isRepeatable: false,
  notFoundIsFinalAfterSeconds: 120,
  ...changes,
});
const code: DeliveredCode = {
  code: 'C-1',
  pin: null,
  serialNumber: null,
  redemptionUrl: null,
  expiresAt: null,
};
const details = {};
const unknown: QueryResult = { kind: 'unknown', reason: 'no answer', details };
const notFound: QueryResult = { kind: 'not_found', details };
const withoutCode: QueryResult = { kind: 'without_code', partnerTransactionId: null, details };

describe('what an answer means', () => {
  it('takes a delivery for done, and only with what was ordered', () => {
    const delivered: QueryResult = { kind: 'delivered', codes: [code], partnerTransactionId: 'T', details };
    const credited: QueryResult = { kind: 'credited', partnerTransactionId: 'T', details };
    expect(judgeResult(delivered, asked())).toEqual({ kind: 'done', codes: [code] });
    expect(judgeResult(delivered, asked({ mode: 'TOPUP' }))).toEqual({ kind: 'done', codes: [] });
    expect(judgeResult(credited, asked({ mode: 'TOPUP' }))).toEqual({ kind: 'done', codes: [] });
    expect(judgeResult(credited, asked()).kind).toBe('unanswered');
  });

  it('asks an unknown result after 15 s, 60 s, 5 m, 15 m and 1 h, then leaves it to people', () => {
    const waits = [0, 1, 2, 3, 4, 5].map((questions) => {
      const since = questions === 0 ? 0 : (QUERY_SCHEDULE_SECONDS[questions - 1] ?? 0);
      const times = { questions, secondsSinceFirstCall: since, secondsSinceLastCall: since };
      return judgeResult(unknown, asked(times));
    });
    expect(waits.map((one) => 'askAgainAfterSeconds' in one && one.askAgainAfterSeconds)).toEqual([
      15,
      45,
      240,
      600,
      2700,
      null,
    ]);
    expect(waits.map((one) => one.kind === 'unanswered' && one.needsAttention)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  it('needs attention at once when the partner can neither be asked nor take the reference again', () => {
    expect(judgeResult(unknown, asked({ canQuery: false }))).toMatchObject({
      kind: 'unanswered',
      needsAttention: true,
      askAgainAfterSeconds: null,
    });
  });

  it('believes "not found" only when no call can still be on its way', () => {
    expect(judgeResult(notFound, asked({ secondsSinceLastCall: 119 })).kind).toBe('unanswered');
    expect(judgeResult(notFound, asked({ secondsSinceLastCall: 120 }))).toMatchObject({
      kind: 'refused',
      isTransient: true,
      askAgainAfterSeconds: 3600,
    });
  });

  it('sends the same reference again only to who never buys it twice, and only while it is unknown', () => {
    const early = { secondsSinceLastCall: 15, isRepeatable: true };
    expect(judgeResult(notFound, asked(early)).kind).toBe('repeat');
    expect(judgeResult(notFound, asked({ ...early, status: 'DISPUTED' })).kind).toBe('unanswered');
    expect(judgeResult(notFound, asked({ ...early, isRepeatable: false })).kind).toBe('unanswered');
  });

  it('waits a minute for a code that a success did not bring, then disputes it', () => {
    expect(judgeResult(withoutCode, asked({ secondsSinceFirstCall: 59 })).kind).toBe('unanswered');
    expect(judgeResult(withoutCode, asked({ secondsSinceFirstCall: 60 })).kind).toBe('disputed');
    expect(judgeResult(withoutCode, asked({ canQuery: false })).kind).toBe('disputed');
  });

  it('never makes a no of anything but a no', () => {
    const anyResult = fc.constantFrom<QueryResult>(unknown, withoutCode, {
      kind: 'processing',
      partnerTransactionId: null,
      details,
    });
    const anyTime = fc.record({
      secondsSinceFirstCall: fc.nat(10_000),
      secondsSinceLastCall: fc.nat(10_000),
      questions: fc.nat(9),
      canQuery: fc.boolean(),
      isRepeatable: fc.boolean(),
    });
    fc.assert(
      fc.property(anyResult, anyTime, (result, times) => {
        expect(['unanswered', 'disputed']).toContain(judgeResult(result, asked(times)).kind);
      }),
    );
  });

  it('asks once more about what an operator declared dead', () => {
    expect(refusedByOperator('they said so on the phone')).toMatchObject({
      isTransient: false,
      askAgainAfterSeconds: 3600,
    });
  });
});

const source = (id: number, ...required: string[]) => ({
  id,
  requiredFields: required.map((name) => ({ name, required: true })),
});
const no = (sourceId: number, changes: Partial<PastPurchase> = {}): PastPurchase => ({
  sourceId,
  partnerName: `Partner ${sourceId}`,
  round: 1,
  isTransient: false,
  retryAfterSeconds: null,
  reason: 'out of stock',
  ...changes,
});
const choose = (changes: Partial<Parameters<typeof chooseNextPurchase>[0]> = {}) =>
  chooseNextPurchase({ sources: [source(1), source(2)], input: {}, past: [], mayWait: true, ...changes });

describe('where a unit is bought next', () => {
  it('is the first source, and the next only after a no', () => {
    expect(choose()).toMatchObject({ kind: 'buy', sourceId: 1, round: 1, afterSeconds: 0 });
    expect(choose({ past: [no(1)] })).toMatchObject({ kind: 'buy', sourceId: 2, afterSeconds: 0 });
    expect(choose({ past: [no(1), no(2)] })).toMatchObject({ kind: 'exhausted' });
  });

  it('is again, after a while, whoever was only busy, and three times in all', () => {
    const busy = { isTransient: true };
    const second = choose({ past: [no(1, busy), no(2)] });
    expect(second).toMatchObject({ kind: 'buy', sourceId: 1, round: 2, afterSeconds: 5 });
    const third = choose({ past: [no(1, busy), no(2), no(1, { ...busy, round: 2 })] });
    expect(third).toMatchObject({ kind: 'buy', sourceId: 1, round: 3, afterSeconds: 30 });
    const past = [no(1, busy), no(2), no(1, { ...busy, round: 2 }), no(1, { ...busy, round: 3 })];
    expect(choose({ past }).kind).toBe('exhausted');
  });

  it('waits as long as the partner said', () => {
    const past = [no(1, { isTransient: true, retryAfterSeconds: 125 }), no(2)];
    expect(choose({ past })).toMatchObject({ sourceId: 1, afterSeconds: 125 });
  });

  it('is nowhere for an operator who waits, once everybody said no', () => {
    expect(choose({ past: [no(1, { isTransient: true }), no(2)], mayWait: false }).kind).toBe('exhausted');
  });

  it('is never a source that needs what the order does not tell', () => {
    const sources = [source(1, 'zone'), source(2)];
    expect(choose({ sources })).toMatchObject({ sourceId: 2 });
    expect(choose({ sources, input: { zone: '7' } })).toMatchObject({ sourceId: 1 });
    expect(choose({ sources: [source(1, 'zone')] })).toEqual({
      kind: 'exhausted',
      reason: 'the order lacks zone, which the partner needs',
    });
  });

  it('says who refused and why, or that nobody sells it', () => {
    expect(choose({ sources: [] })).toEqual({
      kind: 'exhausted',
      reason: 'No partner source is configured for this variant',
    });
    expect(choose({ past: [no(1), no(2, { reason: 'low balance' })] })).toEqual({
      kind: 'exhausted',
      reason: 'Partner 1: out of stock; Partner 2: low balance',
    });
  });
});

describe('how an item stands', () => {
  const item = { mode: 'CODE', quantity: 2, fulfilled: false, fulfillment_status: 'PENDING' } as const;

  it.each([
    ['fulfilled', { item: { ...item, fulfilled: true }, codes: 0, purchases: [] }],
    ['ready', { item, codes: 2, purchases: [] }],
    ['in_flight', { item, codes: 1, purchases: ['OK', 'SENT'] }],
    ['in_flight', { item, codes: 1, purchases: ['OK', 'REJECTED', 'INTENT'] }],
    ['unclear', { item, codes: 1, purchases: ['OK', 'UNKNOWN'] }],
    ['failed', { item: { ...item, fulfillment_status: 'FAILED' }, codes: 1, purchases: ['OK', 'DISPUTED'] }],
    ['ready', { item: { ...item, fulfillment_status: 'FAILED' }, codes: 2, purchases: ['OK', 'OK'] }],
    ['failed', { item: { ...item, fulfillment_status: 'DISPATCH_FAILED' }, codes: 2, purchases: [] }],
    ['ready', { item: { ...item, mode: 'TOPUP' }, codes: 0, purchases: ['OK', 'OK'] }],
    ['unclear', { item: { ...item, mode: 'TOPUP' }, codes: 0, purchases: ['OK', 'UNKNOWN'] }],
  ] as const)('is %s', (standing, facts) => {
    expect(standingOfItem(facts)).toBe(standing);
  });
});
