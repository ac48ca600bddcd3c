import { auditActor } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import { toWireAmount } from '../../../platform/money.ts';
import { toMinor, toMoment } from '../../../platform/resource/fields.ts';
import { auditName } from '../../../platform/resource/resource.ts';
import type { ResourceDeps } from '../../../platform/resource/resource.ts';
import { changeRow } from '../../../platform/resource/write-row.ts';
import type { Writer } from '../../../platform/resource/write-row.ts';
import type { Clock } from '../../../platform/time.ts';
import { doForEach } from '../admin/bulk-results.ts';
import type { BulkResult } from '../admin/bulk-results.ts';
import { variantResource } from '../admin/variant-resource.ts';
import { variantNotFound } from '../errors.ts';
import { refuseLowCompareAt } from './price-rules.ts';
import { deleteScheduledPrice, upsertScheduledPrice } from './price-store.ts';

export interface WantedPrice {
  readonly id: number;
  /** BDT; null takes back what was written down for the moment. */
  readonly price: number | null;
  /** Stays when left out. */
  readonly compare_at_price?: number | null;
}

/** Each price by itself, audited; now, or written down for the sweep when `effectiveAt` lies ahead. */
export function changePrices(
  deps: ResourceDeps & { readonly clock: Clock },
  wanted: {
    readonly writer: Writer;
    readonly items: readonly WantedPrice[];
    readonly effectiveAt: string | undefined;
  },
): Promise<BulkResult> {
  // If-Match speaks of one row and not of a list of them.
  const { caller, request } = wanted.writer;
  const writer: Writer = { caller, request: { ip: request.ip, id: request.id, headers: {} } };
  const at = wanted.effectiveAt === undefined ? undefined : toMoment(wanted.effectiveAt, 'effective_at');
  return doForEach(wanted.items, 'items', async (item) => {
    const { id, price, ...more } = item;
    const isAhead = at !== undefined && at > deps.clock.now();
    if (price === null) {
      if (!isAhead) throw fieldError('price', 'price is null: only what is scheduled can be taken back');
      await withdrawPrice(deps, { writer, id, at });
      return 'withdrawn';
    }
    const input = { ...more, price };
    if (isAhead) {
      await schedulePrice(deps, { writer, item: { id, ...input }, at });
      return 'scheduled';
    }
    await changeRow(deps, variantResource, { writer, at: { id }, input });
    return 'changed';
  });
}

type PriceToCome = WantedPrice & { readonly price: number };

async function schedulePrice(
  deps: ResourceDeps,
  { writer, item, at }: { readonly writer: Writer; readonly item: PriceToCome; readonly at: Date },
): Promise<void> {
  refuseLowCompareAt(item, item.price);
  const compareAt = item.compare_at_price ?? null;
  const price = {
    variantId: item.id,
    priceMinor: toMinor(item.price, 'price'),
    compareAtPriceMinor: compareAt === null ? null : toMinor(compareAt, 'compare_at_price'),
    changesCompareAt: item.compare_at_price !== undefined,
    effectiveAt: at,
    scheduledBy: writer.caller.adminId,
  };
  await inTransaction(deps.db, async (tx) => {
    if ((await upsertScheduledPrice(tx, price)) === 0) throw variantNotFound();
    await deps.recordAudit(tx, {
      ...auditActor(writer),
      action: 'product_variants:schedule-price',
      resource: auditName(variantResource, item.id),
      after: { ...item, effective_at: at.toISOString() },
    });
  });
}

async function withdrawPrice(
  deps: ResourceDeps,
  { writer, id, at }: { readonly writer: Writer; readonly id: number; readonly at: Date },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const priceMinor = await deleteScheduledPrice(tx, id, at);
    if (priceMinor === undefined) throw new AppError('NOT_FOUND', 'No price is scheduled for that moment');
    await deps.recordAudit(tx, {
      ...auditActor(writer),
      action: 'product_variants:withdraw-price',
      resource: auditName(variantResource, id),
      before: { id, price: toWireAmount(priceMinor), effective_at: at.toISOString() },
    });
  });
}
