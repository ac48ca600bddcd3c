import { partnerNames } from '../modules/fulfillment/index.ts';
import { inTransaction, statement } from '../platform/db/database.ts';
import type { Database } from '../platform/db/database.ts';
import { parseMinor } from '../platform/money.ts';
import { demoProducts } from './demo-catalogue.ts';
import type { DemoProduct, DemoVariant } from './demo-product.ts';
import { skuOf } from './seed-demo-catalogue.ts';

interface DemoSource {
  readonly sku: string;
  readonly partner: string;
  readonly product: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly costMinor: number;
  readonly priority: number;
  readonly requiredFields: readonly object[];
}

/** Reloadly's product behind a demo card, and what one costs there; the sandbox sells these. */
const giftCards: Readonly<Record<string, (variant: DemoVariant) => { product: string; unitPrice: string }>> =
  {
    'playroid-gift-card-in': () => ({ product: '12', unitPrice: '5.00' }),
    'orchard-gift-card-uk': ({ size = '5' }) => ({ product: '13', unitPrice: `${size}.00` }),
    'battle-island-voucher': () => ({ product: '11', unitPrice: '10.00' }),
  };
const FIRST = 10;
const NEXT = 20;
/** Bought at 94 % of the price, rounded down. */
const COST_PERCENT = 94;

/** Every variant has the generic partner; cards and recharges are bought at Reloadly first. */
function sourcesOf(product: DemoProduct, variant: DemoVariant): DemoSource[] {
  const price = parseMinor(variant.price) ?? 0;
  const common = {
    sku: skuOf(product, variant),
    costMinor: Math.floor((price * COST_PERCENT) / 100),
    requiredFields: (product.fields ?? [])
      .filter((field) => field.required)
      .map(({ name, label, type, required }) => ({ name, label, type, required })),
  };
  const generic = { ...common, partner: partnerNames.generic, product: common.sku, options: {} };
  const card = giftCards[product.slug]?.(variant);
  if (card) {
    const options = { unit_price: card.unitPrice };
    const reloadly = { ...common, partner: partnerNames.giftCards, product: card.product, options };
    return [
      { ...reloadly, priority: FIRST },
      { ...generic, priority: NEXT },
    ];
  }
  if (product.category === 'recharge') {
    const options = { amount: variant.size, use_local_amount: true };
    const reloadly = { ...common, partner: partnerNames.airtime, product: 'auto', options };
    return [
      { ...reloadly, priority: FIRST },
      { ...generic, priority: NEXT },
    ];
  }
  return [{ ...generic, priority: FIRST }];
}

const insertSources = statement(
  'demo_insert_partner_sources',
  `INSERT INTO partner_sources (variant_id, partner_id, partner_product, options, cost_minor, priority, required_fields)
   SELECT variant.id, partner.id, r.product, r.options, r."costMinor", r.priority, r."requiredFields"
   FROM jsonb_to_recordset($1::jsonb) AS r(sku text, partner text, product text, options jsonb, "costMinor" bigint,
     priority int, "requiredFields" jsonb)
   JOIN product_variants variant ON variant.sku = r.sku JOIN partners partner ON partner.name = r.partner
   ON CONFLICT (variant_id, partner_id, partner_product) DO NOTHING`,
);

/**
 * Says where the demo's PARTNER variants are bought, once the partners themselves are there. Adds what is missing and
 * changes nothing that is there. @returns how many sources were new.
 */
export async function seedDemoPartners(deps: {
  readonly db: Database;
  readonly onProgress?: (text: string) => void;
}): Promise<number> {
  const sources = demoProducts
    .filter(({ engine }) => engine === 'PARTNER')
    .flatMap((product) => product.variants.flatMap((variant) => sourcesOf(product, variant)));
  const { count } = await inTransaction(deps.db, (tx) => tx.query(insertSources, [JSON.stringify(sources)]));
  if (count > 0) deps.onProgress?.(`demo partners: ${count} sources`);
  return count;
}
