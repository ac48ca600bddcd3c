/** Which of an item's units the codes that an operator typed in are for. Pure. */

export interface StoredUnit {
  readonly voucherId: number;
  readonly unitNo: number;
  /** `reserved`: held for the item out of the stock, nobody was told. `assigned`: its own for ever. */
  readonly status: 'reserved' | 'assigned';
  readonly digest: string;
}

/** A row of the vault that has one of the codes. */
export interface KnownCode {
  readonly voucherId: number;
  readonly variantId: number;
  readonly isSameBrand: boolean;
  readonly orderItemId: number | null;
  readonly status: 'available' | 'reserved' | 'assigned' | 'voided';
  readonly isExpired: boolean;
  readonly digest: string;
}

export interface ItemToFill {
  readonly orderItemId: number;
  readonly variantId: number;
  readonly quantity: number;
  readonly units: readonly StoredUnit[];
  /** Digests of the codes as typed, all different. */
  readonly given: readonly string[];
  /** Whether the missing units alone will do (`manual-code`), or every unit must be named (`manual-codes`). */
  readonly mayNameMissingOnly: boolean;
}

export type Refusal =
  | { readonly kind: 'assigned_elsewhere'; readonly index: number }
  | { readonly kind: 'wrong_count'; readonly expected: readonly number[] }
  | { readonly kind: 'already_saved' }
  | {
      readonly kind: 'unusable';
      readonly index: number;
      readonly because: 'voided' | 'expired' | 'other_variant';
    };

export interface FillPlan {
  readonly kind: 'planned';
  /** Reserved units that the operator's codes replace: they go back into the stock. */
  readonly release: readonly number[];
  /** Codes that lie in the stock, for these units. */
  readonly claim: readonly { readonly voucherId: number; readonly unitNo: number }[];
  /** Codes that are new to the vault, by their place in `given`, for these units. */
  readonly insert: readonly { readonly index: number; readonly unitNo: number }[];
}

/**
 * Decisions 6.2: as many codes as units; where some are stored already, the missing ones or all of them with the
 * stored among them. The same codes again are the same request and change nothing.
 */
export function planItem(item: ItemToFill, known: readonly KnownCode[]): FillPlan | Refusal {
  const elsewhere = item.given.findIndex((digest) =>
    known.some(
      (row) => row.digest === digest && row.orderItemId !== null && row.orderItemId !== item.orderItemId,
    ),
  );
  if (elsewhere >= 0) return { kind: 'assigned_elsewhere', index: elsewhere };
  const kept = keptUnits(item);
  if (!Array.isArray(kept)) return kept;
  const keptDigests = new Set(kept.map((unit) => unit.digest));
  const used = new Set(kept.map((unit) => unit.unitNo));
  const free = Array.from({ length: item.quantity }, (_, index) => index + 1).filter((n) => !used.has(n));
  const keptIds = new Set(kept.map((unit) => unit.voucherId));
  const plan = {
    kind: 'planned' as const,
    release: item.units.filter((unit) => !keptIds.has(unit.voucherId)).map((unit) => unit.voucherId),
    claim: [] as { voucherId: number; unitNo: number }[],
    insert: [] as { index: number; unitNo: number }[],
  };
  for (const [index, digest] of item.given.entries()) {
    if (keptDigests.has(digest)) continue;
    const unitNo = free.shift() ?? 0;
    const stored = known.find((row) => row.digest === digest && row.isSameBrand);
    if (!stored) plan.insert.push({ index, unitNo });
    else {
      const because = whyUnusable(item, stored);
      if (because) return { kind: 'unusable', index, because };
      plan.claim.push({ voucherId: stored.voucherId, unitNo });
    }
  }
  return plan;
}

/** The units that stay as they are, or why the codes do not fit. */
function keptUnits(item: ItemToFill): StoredUnit[] | Refusal {
  const { units, given, quantity } = item;
  const named = new Set(given);
  const missing = quantity - units.length;
  if (given.length === quantity) {
    const isAssignedUnnamed = units.some((unit) => unit.status === 'assigned' && !named.has(unit.digest));
    if (isAssignedUnnamed) return { kind: 'already_saved' };
    return units.filter((unit) => named.has(unit.digest));
  }
  if (item.mayNameMissingOnly && given.length === missing) {
    return units.some((unit) => named.has(unit.digest)) ? { kind: 'already_saved' } : [...units];
  }
  const isPartlyStored = item.mayNameMissingOnly && missing > 0 && missing < quantity;
  return { kind: 'wrong_count', expected: isPartlyStored ? [quantity, missing] : [quantity] };
}

function whyUnusable(
  item: ItemToFill,
  stored: KnownCode,
): 'voided' | 'expired' | 'other_variant' | undefined {
  if (stored.status === 'voided') return 'voided';
  if (stored.variantId !== item.variantId) return 'other_variant';
  return stored.isExpired ? 'expired' : undefined;
}
