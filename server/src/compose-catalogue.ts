import type { AppOptions } from './app-options.ts';
import { auditOf } from './compose-operations.ts';
import { createCatalogue } from './modules/catalogue/index.ts';
import type { Catalogue } from './modules/catalogue/index.ts';
import { listVariantsWithActiveSource } from './modules/fulfillment/index.ts';
import { countSellableUnits, findSellableVariantIds, listStockLevels } from './modules/vouchers/index.ts';

/** Gives the catalogue what it may not import: the vault's stock, the audit log, which gateways are configured. */
export function composeCatalogue(
  { db, clock }: AppOptions,
  offeredMethods: () => ReadonlySet<string>,
): Catalogue {
  return createCatalogue({
    db,
    clock,
    offeredMethods,
    recordAudit: auditOf,
    stock: {
      listSellableVariants: async () => {
        const [stocked, sourced] = await Promise.all([
          findSellableVariantIds(db),
          listVariantsWithActiveSource(db),
        ]);
        return stocked.union(sourced);
      },
      countSellableUnits: (variantId, most) => countSellableUnits(db, variantId, most),
      listLevels: (variantIds) => listStockLevels(db, variantIds),
    },
  });
}
