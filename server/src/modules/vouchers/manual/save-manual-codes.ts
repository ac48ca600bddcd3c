import type { Tx } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { maskCode, voucherContexts, voucherDigest } from '../voucher-secrets.ts';
import { assignReservedVouchers } from '../voucher-store.ts';
import { planItem } from './manual-code-rules.ts';
import type { FillPlan, KnownCode, Refusal } from './manual-code-rules.ts';
import {
  claimVouchers,
  insertManualVouchers,
  listBrandsOfVariants,
  listKnownCodes,
  listUnitsOfItems,
  lockTypedCodes,
  releaseUnits,
} from './manual-code-store.ts';
import type { KnownCodeRow, ManualVoucher, UnitRow } from './manual-code-store.ts';

/** A code that an operator typed in, checked and trimmed. */
export interface ManualCode {
  readonly code: string;
  readonly pin: string | null;
  readonly redemptionUrl: string | null;
  readonly serialNumber: string | null;
  readonly expiresAt: Date | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly partnerId: number | null;
}

export interface ItemCodes {
  readonly orderItemId: number;
  readonly variantId: number;
  readonly quantity: number;
  readonly codes: readonly ManualCode[];
  /** Where the codes stand in the request, for problems with them: `items.2.codes`. */
  readonly field: string;
  readonly mayNameMissingOnly: boolean;
}

export interface SavedItem {
  readonly orderItemId: number;
  /** The stored rows of the given codes, in the order given. */
  readonly voucherIds: readonly number[];
}

/**
 * Gives items the codes an operator typed in: each its own row, assigned. All items are checked before anything is
 * written. In the caller's transaction, under the order's lock.
 *
 * @throws CONFLICT for a code that belongs to a different item, is voided, expired or of another variant, and
 *   (`CodesAlreadySaved`) when the item has other codes; BAD_REQUEST when there are not as many as units;
 *   VALIDATION_ERROR for the same code twice.
 */
export async function saveManualCodes(
  tx: Tx,
  box: SecretBox,
  items: readonly ItemCodes[],
): Promise<SavedItem[]> {
  const digests = items.map((item) => item.codes.map(({ code }) => voucherDigest(box, code)));
  refuseRepeats(items, digests);
  await lockTypedCodes(tx, digests.flat());
  const itemIds = items.map((item) => item.orderItemId);
  const [units, known, brands] = await Promise.all([
    listUnitsOfItems(tx, itemIds),
    listKnownCodes(tx, digests.flat()),
    listBrandsOfVariants(
      tx,
      items.map((item) => item.variantId),
    ),
  ]);
  const filled = items.map((item, index) => {
    const own = { digests: digests[index] ?? [], brandId: brands.get(item.variantId) ?? 0 };
    return { item, ...own, plan: planOrThrow(item, { ...own, units, known }) };
  });
  for (const one of filled) await fill(tx, box, one);
  await assignReservedVouchers(tx, itemIds);
  const stored = await listUnitsOfItems(tx, itemIds);
  return filled.map(({ item, digests: given }) => ({
    orderItemId: item.orderItemId,
    voucherIds: given.flatMap((digest) => stored.find((unit) => unit.code_digest.equals(digest))?.id ?? []),
  }));
}

function refuseRepeats(items: readonly ItemCodes[], digests: readonly (readonly Buffer[])[]): void {
  const owners = new Map<string, number>();
  for (const [at, item] of items.entries()) {
    for (const [index, digest] of (digests[at] ?? []).entries()) {
      const owner = owners.get(digest.toString('hex'));
      if (owner === item.orderItemId)
        throw fieldError(`${item.field}.${index}.code`, 'The same code is given twice');
      if (owner !== undefined) throw assignedElsewhere(item, index);
      owners.set(digest.toString('hex'), item.orderItemId);
    }
  }
}

interface Found {
  readonly digests: readonly Buffer[];
  readonly brandId: number;
  readonly units: readonly UnitRow[];
  readonly known: readonly KnownCodeRow[];
}

function planOrThrow(item: ItemCodes, found: Found): FillPlan {
  const plan = planItem(
    {
      orderItemId: item.orderItemId,
      variantId: item.variantId,
      quantity: item.quantity,
      mayNameMissingOnly: item.mayNameMissingOnly,
      given: found.digests.map((digest) => digest.toString('hex')),
      units: found.units
        .filter((unit) => unit.order_item_id === item.orderItemId)
        .map((unit) => ({
          voucherId: unit.id,
          unitNo: unit.unit_no,
          status: unit.status,
          digest: unit.code_digest.toString('hex'),
        })),
    },
    found.known.map((row): KnownCode => ({
      voucherId: row.id,
      variantId: row.variant_id,
      isSameBrand: row.brand_id === found.brandId,
      orderItemId: row.order_item_id,
      status: row.status,
      isExpired: row.is_expired,
      digest: row.code_digest.toString('hex'),
    })),
  );
  if (plan.kind !== 'planned') throw refusalError(item, plan);
  return plan;
}

function assignedElsewhere(item: ItemCodes, index: number): AppError {
  const code = maskCode(item.codes[index]?.code ?? '');
  return new AppError('CONFLICT', `Code ${code} is already assigned to a different item`, {
    data: { type: 'CodeAssignedElsewhere', field: `${item.field}.${index}.code` },
  });
}

const unusable = {
  voided: 'was voided and cannot be delivered',
  expired: 'is past its expiry and cannot be delivered',
  other_variant: 'is in the stock of another variant',
};

function refusalError(item: ItemCodes, refusal: Refusal): AppError {
  switch (refusal.kind) {
    case 'assigned_elsewhere':
      return assignedElsewhere(item, refusal.index);
    case 'wrong_count': {
      const expected = refusal.expected.join(' or ');
      const message = `Item ${item.orderItemId} needs ${expected} code(s), ${item.codes.length} given`;
      return new AppError('BAD_REQUEST', message, { data: { type: 'WrongNumberOfCodes', expected } });
    }
    case 'already_saved': {
      const message = `Item ${item.orderItemId} has other codes already: send those again, or resend the e-mail`;
      return new AppError('CONFLICT', message, { data: { type: 'CodesAlreadySaved' } });
    }
    case 'unusable': {
      const code = maskCode(item.codes[refusal.index]?.code ?? '');
      const data = { type: 'CodeUnusable', field: `${item.field}.${refusal.index}.code` };
      return new AppError('CONFLICT', `Code ${code} ${unusable[refusal.because]}`, { data });
    }
  }
}

interface Filled {
  readonly item: ItemCodes;
  readonly digests: readonly Buffer[];
  readonly brandId: number;
  readonly plan: FillPlan;
}

async function fill(tx: Tx, box: SecretBox, { item, digests, brandId, plan }: Filled): Promise<void> {
  const { orderItemId } = item;
  await releaseUnits(tx, plan.release);
  const claimed = await claimVouchers(
    tx,
    plan.claim.map((one) => ({ ...one, orderItemId })),
  );
  const vouchers = plan.insert.flatMap(({ index, unitNo }): ManualVoucher[] => {
    const code = item.codes[index];
    const digest = digests[index];
    if (!code || !digest) return [];
    const place = { variant_id: item.variantId, brand_id: brandId, item_id: orderItemId, unit_no: unitNo };
    return [{ ...place, ...sealManual(box, code), digest: digest.toString('hex') }];
  });
  const inserted = await insertManualVouchers(tx, vouchers);
  if (claimed < plan.claim.length || inserted < vouchers.length) {
    throw new AppError(
      'CONFLICT',
      'One of the codes was sold or stored by somebody else at this moment; try again',
    );
  }
}

function sealManual(box: SecretBox, code: ManualCode) {
  const sealed = (text: string | null, context: string): string | null =>
    text === null ? null : box.seal(text, context).toString('hex');
  return {
    partner_id: code.partnerId,
    code: box.seal(code.code, voucherContexts.code).toString('hex'),
    pin: sealed(code.pin, voucherContexts.pin),
    url: sealed(code.redemptionUrl, voucherContexts.redemptionUrl),
    serial: sealed(code.serialNumber, voucherContexts.serialNumber),
    expires_at: code.expiresAt?.toISOString() ?? null,
    metadata: code.metadata,
  };
}
