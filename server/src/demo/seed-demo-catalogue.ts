import { inTransaction } from '../platform/db/database.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { parseMinor } from '../platform/money.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { systemClock } from '../platform/time.ts';
import type { Clock } from '../platform/time.ts';
import { importVouchers } from '../modules/vouchers/index.ts';
import type { ImportVouchersDeps } from '../modules/vouchers/index.ts';
import { demoProducts } from './demo-catalogue.ts';
import type { DemoProduct, DemoVariant } from './demo-product.ts';
import { demoCodes } from './demo-codes.ts';
import { demoBanners, demoFaqs, demoPaymentMethods, demoSections } from './demo-content.ts';
import { demoBrands, demoCategories, demoProductTypes, demoTags } from './demo-shelves.ts';
import { demoStore } from './demo-store.ts';

export interface SeedDemoDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly clock?: Clock;
  /** A line for the person who waits, only when there is something to do. */
  onProgress?(text: string): void;
}

/** What this run added: nothing, when it all was there. */
export interface DemoSeed {
  readonly products: number;
  readonly variants: number;
  readonly codes: number;
}

/** How many codes lie in the demo vault. */
export const DEMO_CODES = 5_000;

/**
 * Fills an empty shop: catalogue and homepage in one transaction, then the codes through the vault's own import.
 * Adds what is missing and changes nothing that is there, so it may run at every start; a run that was cut off is
 * completed by the next.
 */
export async function seedDemoCatalogue(deps: SeedDemoDeps): Promise<DemoSeed> {
  const catalogue = await inTransaction(deps.db, insertCatalogue);
  if (catalogue.products > 0) deps.onProgress?.(`demo catalogue: ${catalogue.products} products`);
  const codes = await importDemoCodes({ db: deps.db, box: deps.box, clock: deps.clock ?? systemClock });
  if (codes > 0) deps.onProgress?.(`demo stock: ${codes} codes`);
  return { ...catalogue, codes };
}

async function insertCatalogue(tx: Tx): Promise<{ products: number; variants: number }> {
  await demoStore.lock(tx);
  await demoStore.insertBrands(tx, demoBrands);
  // One level at a time: a category is filed under a row that must be there.
  await demoStore.insertCategories(
    tx,
    demoCategories.filter(({ parent }) => parent === null),
  );
  await demoStore.insertCategories(
    tx,
    demoCategories.filter(({ parent }) => parent !== null),
  );
  await demoStore.insertTags(tx, demoTags);
  await demoStore.insertProductTypes(tx, demoProductTypes);
  const added = await demoStore.insertProducts(tx, demoProducts);
  // Only of new products: a tag that an operator took off stays off.
  const tagged = demoProducts.filter(({ slug }) => added.has(slug)).flatMap(tagsOf);
  await demoStore.insertProductTags(tx, tagged);
  const variants = await demoStore.insertVariants(tx, demoProducts.flatMap(variantRowsOf));
  await demoStore.insertPaymentMethods(tx, demoPaymentMethods.map(withLimits));
  await demoStore.insertFaqs(tx, demoFaqs);
  await demoStore.insertBanners(tx, demoBanners);
  await demoStore.insertSections(tx, demoSections);
  return { products: added.size, variants };
}

const tagsOf = ({ slug, tags }: DemoProduct): object[] => (tags ?? []).map((tag) => ({ product: slug, tag }));

function withLimits(method: (typeof demoPaymentMethods)[number]): object {
  return { ...method, minMinor: minorOf(method.min), maxMinor: minorOf(method.max) };
}

function variantRowsOf(product: DemoProduct): object[] {
  return product.variants.map((variant) => ({
    product: product.slug,
    sku: skuOf(product, variant),
    ...namesOf(product, variant),
    priceMinor: minorOf(variant.price),
    wasMinor: variant.was === undefined ? null : minorOf(variant.was),
    engine: product.engine,
    maxQuantity: variant.maxQuantity ?? 10,
  }));
}

export function skuOf(product: DemoProduct, variant: DemoVariant): string {
  return `${product.sku}-${variant.sku ?? variant.size}`;
}

function namesOf({ unit }: DemoProduct, variant: DemoVariant): { name: string; nameBn: string } {
  const { size = '', name, nameBn } = variant;
  return {
    name: name ?? `${size} ${unit?.en ?? ''}`.trim(),
    nameBn: nameBn ?? `${inBanglaDigits(size)} ${unit?.bn ?? ''}`.trim(),
  };
}

const inBanglaDigits = (text: string): string =>
  text.replaceAll(/\d/g, (digit) => '০১২৩৪৫৬৭৮৯'.charAt(Number(digit)));

function minorOf(amount: string): number {
  const minor = parseMinor(amount);
  if (minor === undefined) throw new Error(`The demo catalogue has an amount that is none: ${amount}`);
  return minor;
}

interface Stocked {
  readonly product: DemoProduct;
  readonly sku: string;
  readonly count: number;
}

/** Those with a number of their own get it; the others share what is left of DEMO_CODES, the first few one more. */
export function planDemoStock(): Stocked[] {
  const all = demoProducts
    .filter(({ engine }) => engine === 'PRELOADED')
    .flatMap((product) => product.variants.map((variant) => ({ product, variant })));
  const sharing = all.filter(({ variant }) => variant.stock === undefined).length;
  const left = DEMO_CODES - all.reduce((sum, { variant }) => sum + (variant.stock ?? 0), 0);
  let shares = 0;
  return all.map(({ product, variant }) => {
    const share =
      Math.floor(left / sharing) + (variant.stock === undefined && shares++ < left % sharing ? 1 : 0);
    return { product, sku: skuOf(product, variant), count: variant.stock ?? share };
  });
}

/** Supplied at 94 % of the price, rounded down. */
const COST_PERCENT = 94;
const SOURCE_NAME = 'demo';

async function importDemoCodes(deps: ImportVouchersDeps): Promise<number> {
  const plan = planDemoStock();
  const rows = await demoStore.listVariants(
    deps.db,
    plan.map(({ sku }) => sku),
    SOURCE_NAME,
  );
  const stored = new Map(rows.map((row) => [row.sku, row]));
  const now = deps.clock.now();
  let imported = 0;
  for (const { product, sku, count } of plan) {
    const row = stored.get(sku);
    if (!row || row.is_stocked || !product.codes || count === 0) continue;
    const summary = await importVouchers(deps, {
      variantId: row.variant_id,
      brandId: row.brand_id,
      rows: demoCodes({ sku, codes: product.codes, count, now }),
      supplier: product.codes.supplier,
      costMinor: Math.floor((row.price_minor * COST_PERCENT) / 100),
      sourceName: SOURCE_NAME,
    });
    imported += summary.imported;
  }
  return imported;
}
