import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { planItem } from './manual-code-rules.ts';
import type { ItemToFill, KnownCode, StoredUnit } from './manual-code-rules.ts';

const ITEM = 7;
const VARIANT = 3;
const digests = Array.from({ length: 8 }, (_, index) => `digest-${index}`);

/** An item with some of its units stored, a vault that agrees with it and has more, and codes as somebody types them. */
const situation = fc
  .record({
    quantity: fc.integer({ min: 1, max: 5 }),
    stored: fc.array(fc.constantFrom('reserved' as const, 'assigned' as const), { maxLength: 5 }),
    elsewhere: fc.array(
      fc.record({
        status: fc.constantFrom(
          'available' as const,
          'reserved' as const,
          'assigned' as const,
          'voided' as const,
        ),
        isSameBrand: fc.boolean(),
        isExpired: fc.boolean(),
        variantId: fc.constantFrom(VARIANT, 4),
      }),
      { maxLength: 3 },
    ),
    given: fc.uniqueArray(fc.constantFrom(...digests), { minLength: 1, maxLength: 6 }),
    mayNameMissingOnly: fc.boolean(),
  })
  .map(({ quantity, stored, elsewhere, given, mayNameMissingOnly }) => {
    const units = stored.slice(0, quantity).map((status, index): StoredUnit => ({
      voucherId: index + 1,
      unitNo: quantity - index,
      status,
      digest: digests[index] ?? '',
    }));
    const own = units.map((unit): KnownCode => ({
      ...unit,
      variantId: VARIANT,
      isSameBrand: true,
      orderItemId: ITEM,
      isExpired: false,
    }));
    const others = elsewhere.map((row, index): KnownCode => ({
      ...row,
      voucherId: 100 + index,
      digest: digests[5 + index] ?? '',
      orderItemId: row.status === 'reserved' || row.status === 'assigned' ? 99 : null,
    }));
    const item: ItemToFill = {
      orderItemId: ITEM,
      variantId: VARIANT,
      quantity,
      units,
      given,
      mayNameMissingOnly,
    };
    return { item, known: [...own, ...others] };
  });

/** The item's units after the plan was carried out, by digest. */
function unitsAfter(item: ItemToFill, known: readonly KnownCode[]) {
  const plan = planItem(item, known);
  if (plan.kind !== 'planned') return undefined;
  const kept = item.units.filter((unit) => !plan.release.includes(unit.voucherId));
  return [
    ...kept.map(({ unitNo, digest, status }) => ({ unitNo, digest, status })),
    ...plan.insert.map(({ index, unitNo }) => ({
      unitNo,
      digest: item.given[index] ?? '',
      status: 'assigned',
    })),
    ...plan.claim.map(({ voucherId, unitNo }) => ({
      unitNo,
      digest: known.find((row) => row.voucherId === voucherId)?.digest ?? '',
      status: 'assigned',
    })),
  ];
}

describe('which units typed codes are for', () => {
  it('gives every unit exactly one code and no unit beyond the quantity', () => {
    fc.assert(
      fc.property(situation, ({ item, known }) => {
        const units = unitsAfter(item, known);
        if (!units) return;
        const numbers = units.map((unit) => unit.unitNo).toSorted((a, b) => a - b);
        expect(numbers).toEqual(Array.from({ length: item.quantity }, (_, index) => index + 1));
        expect(new Set(units.map((unit) => unit.digest)).size).toBe(item.quantity);
      }),
      { numRuns: 5_000 },
    );
  });

  it('never takes back a code that is assigned, nor a code that anybody else has', () => {
    fc.assert(
      fc.property(situation, ({ item, known }) => {
        const units = unitsAfter(item, known);
        if (!units) return;
        const after = new Set(units.map((unit) => unit.digest));
        for (const unit of item.units) if (unit.status === 'assigned') expect(after).toContain(unit.digest);
        for (const row of known) if (row.orderItemId === 99) expect(item.given).not.toContain(row.digest);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is the same request when the resulting codes are typed in again', () => {
    fc.assert(
      fc.property(situation, ({ item, known }) => {
        const units = unitsAfter(item, known);
        if (!units) return;
        const stored = units.map((unit, index) => ({
          ...unit,
          voucherId: index,
          status: 'assigned' as const,
        }));
        const again = { ...item, units: stored, given: units.map((unit) => unit.digest).toReversed() };
        const now = stored.map((unit): KnownCode => ({
          ...unit,
          variantId: VARIANT,
          isSameBrand: true,
          orderItemId: ITEM,
          isExpired: false,
        }));
        expect(planItem(again, now)).toEqual({ kind: 'planned', release: [], claim: [], insert: [] });
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('refusals', () => {
  const unit = (no: number, status: StoredUnit['status'], digest: string): StoredUnit => ({
    voucherId: no,
    unitNo: no,
    status,
    digest,
  });
  const item = (
    quantity: number,
    given: string[],
    units: StoredUnit[] = [],
    mayNameMissingOnly = true,
  ): ItemToFill => ({
    orderItemId: ITEM,
    variantId: VARIANT,
    quantity,
    units,
    given,
    mayNameMissingOnly,
  });
  const row = (digest: string, more: Partial<KnownCode>): KnownCode => ({
    voucherId: 50,
    variantId: VARIANT,
    isSameBrand: true,
    orderItemId: null,
    status: 'available',
    isExpired: false,
    digest,
    ...more,
  });

  it.each([
    ['too few', item(2, ['a']), [], { kind: 'wrong_count', expected: [2] }],
    ['too many', item(2, ['a', 'b', 'c']), [], { kind: 'wrong_count', expected: [2] }],
    [
      'neither all nor the missing',
      item(3, ['b'], [unit(1, 'assigned', 'a')]),
      [],
      { kind: 'wrong_count', expected: [3, 2] },
    ],
    [
      'the missing ones where all are wanted',
      item(2, ['b'], [unit(1, 'assigned', 'a')], false),
      [],
      { kind: 'wrong_count', expected: [2] },
    ],
    [
      'others than the stored ones',
      item(1, ['b'], [unit(1, 'assigned', 'a')]),
      [],
      { kind: 'already_saved' },
    ],
    [
      'a stored one as the missing one',
      item(2, ['a'], [unit(1, 'assigned', 'a')]),
      [],
      { kind: 'already_saved' },
    ],
    [
      'one of another item, before counting',
      item(2, ['x']),
      [row('x', { orderItemId: 99, status: 'assigned' })],
      { kind: 'assigned_elsewhere', index: 0 },
    ],
    [
      'a voided one',
      item(1, ['x']),
      [row('x', { status: 'voided' })],
      { kind: 'unusable', index: 0, because: 'voided' },
    ],
    [
      'an expired one',
      item(1, ['x']),
      [row('x', { isExpired: true })],
      { kind: 'unusable', index: 0, because: 'expired' },
    ],
    [
      'one of another variant',
      item(1, ['x']),
      [row('x', { variantId: 4 })],
      { kind: 'unusable', index: 0, because: 'other_variant' },
    ],
  ])('says so for %s', (_, given, known, refusal) => {
    expect(planItem(given, known)).toEqual(refusal);
  });

  it('takes the missing ones alone, and all with the stored among them', () => {
    const stored = [unit(1, 'assigned', 'a')];
    expect(planItem(item(2, ['b'], stored), [])).toMatchObject({
      insert: [{ index: 0, unitNo: 2 }],
      release: [],
    });
    expect(planItem(item(2, ['b', 'a'], stored), [])).toMatchObject({
      insert: [{ index: 0, unitNo: 2 }],
      release: [],
    });
  });

  it('puts units that were only held for the item back into the stock when all are typed in', () => {
    const held = [unit(1, 'reserved', 'a')];
    expect(planItem(item(2, ['b', 'c'], held), [])).toMatchObject({
      release: [1],
      insert: [{ unitNo: 1 }, { unitNo: 2 }],
    });
  });

  it('does not mind a code of another brand that lies in the stock', () => {
    expect(planItem(item(1, ['x']), [row('x', { isSameBrand: false })])).toMatchObject({
      insert: [{ index: 0, unitNo: 1 }],
    });
  });
});
