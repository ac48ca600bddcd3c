import type { Tx } from '../../platform/db/database.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { freeHeldUnit, insertBoughtVoucher } from './bought-code-store.ts';
import { listBrandsOfVariants, listKnownCodes, lockTypedCodes } from './manual/manual-code-store.ts';
import { voucherContexts, voucherDigest } from './voucher-secrets.ts';

export interface BoughtCode {
  readonly variantId: number;
  /** The unit it is for; null to keep it in the stock for whoever needs one next. */
  readonly unit: { readonly orderItemId: number; readonly unitNo: number } | null;
  readonly partnerId: number | null;
  readonly costMinor: number | null;
  readonly code: string;
  readonly pin: string | null;
  readonly redemptionUrl: string | null;
  readonly serialNumber: string | null;
  readonly expiresAt: Date | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** `known`: the vault has this code already, of whatever brand; nothing was written. */
export type StoredCode =
  | { readonly kind: 'stored'; readonly voucherId: number }
  | { readonly kind: 'known'; readonly voucherId: number; readonly orderItemId: number | null };

/**
 * Stores a code that a partner delivered, in the transaction that marks the purchase as done, under the order's lock.
 * One code never serves two units: whoever stores or types the same one at this moment waits.
 */
export async function storeBoughtCode(tx: Tx, box: SecretBox, bought: BoughtCode): Promise<StoredCode> {
  const digest = voucherDigest(box, bought.code);
  await lockTypedCodes(tx, [digest]);
  const [known, brands] = await Promise.all([
    listKnownCodes(tx, [digest]),
    listBrandsOfVariants(tx, [bought.variantId]),
  ]);
  const [earlier] = known;
  if (earlier) return { kind: 'known', voucherId: earlier.id, orderItemId: earlier.order_item_id };
  const sealed = (plain: string | null, context: string): Buffer | null =>
    plain === null ? null : box.seal(plain, context);
  const { code, pin, redemptionUrl, serialNumber, ...kept } = bought;
  // A unit has one code: without this, one held for it would refuse a code that is paid for.
  if (bought.unit) await freeHeldUnit(tx, bought.unit);
  const voucherId = await insertBoughtVoucher(tx, {
    ...kept,
    brandId: brands.get(bought.variantId) ?? 0,
    codeSealed: box.seal(code.trim(), voucherContexts.code),
    codeDigest: digest,
    pinSealed: sealed(pin, voucherContexts.pin),
    redemptionUrlSealed: sealed(redemptionUrl, voucherContexts.redemptionUrl),
    serialNumberSealed: sealed(serialNumber, voucherContexts.serialNumber),
  });
  return { kind: 'stored', voucherId };
}
