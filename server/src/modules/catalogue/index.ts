import type { FastifyInstance } from 'fastify';

import type { RecordAudit } from '../../platform/audit.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import { systemClock } from '../../platform/time.ts';
import type { Clock } from '../../platform/time.ts';
import { adminEndpoints } from './admin/admin-endpoints.ts';
import { createCatalogueSnapshot } from './catalogue-snapshot.ts';
import type { Stock } from './catalogue-snapshot.ts';
import { contentEndpoints } from './content/content-routes.ts';
import { serveMedia } from './media/media-routes.ts';
import { scheduleSweep } from './pricing/apply-schedule.ts';
import { productEndpoints } from './product-routes.ts';
import { searchEndpoints } from './search/search-routes.ts';
import { taxonomyEndpoints } from './taxonomy-routes.ts';
import type { OfferedMethods } from './taxonomy-routes.ts';
import { variantEndpoints } from './variant-routes.ts';

export { listUnknownIds } from './catalogue-store.ts';
export type { CatalogueIds } from './catalogue-store.ts';
export { findVariantGroups, findVariantsForSale, findVariantToStock } from './find-variants-for-sale.ts';
export type { VariantForSale, VariantGroups, VariantToStock } from './find-variants-for-sale.ts';
export {
  IDENTIFIER_KEYS,
  isIdentifierKey,
  parseFulfillmentConfig,
} from './fulfillment/fulfillment-config-rules.ts';
export type {
  FieldOption,
  FulfillmentConfig,
  FulfillmentField,
  FulfillmentMode,
  IdentifierKey,
  RecipientIdentifier,
} from './fulfillment/fulfillment-config-rules.ts';
export { checkFulfillmentInput } from './fulfillment/check-fulfillment-input.ts';
export { isEmailAddress } from './fulfillment/fulfillment-schema-rules.ts';
export { readMethodRules } from './payment-methods/payment-method-store.ts';
export type { RefuseMethod } from './payment-methods/payment-method-store.ts';
export type { Stock } from './catalogue-snapshot.ts';

export interface CatalogueDeps {
  readonly db: Database;
  readonly stock: Stock;
  readonly offeredMethods: OfferedMethods;
  readonly recordAudit: RecordAudit;
  readonly clock?: Clock;
}

export interface Catalogue {
  readonly clientEndpoints: Endpoint[];
  readonly adminEndpoints: Endpoint[];
  readonly sweeps: Sweep[];
  /** Puts the uploaded pictures on a listener, at `/media/…`. */
  readonly serveMedia: (app: FastifyInstance) => void;
  /** After a change of the catalogue or the stock in this process: the next read shows it. Others see it in a second. */
  noteChange(): void;
}

export function createCatalogue(deps: CatalogueDeps): Catalogue {
  const clock = deps.clock ?? systemClock;
  const { db, stock, recordAudit } = deps;
  const snapshot = createCatalogueSnapshot({ db, stock, clock });
  const noteChange = (): void => snapshot.invalidate();
  return {
    clientEndpoints: [
      ...productEndpoints(snapshot, db),
      ...variantEndpoints(snapshot, stock),
      ...taxonomyEndpoints(snapshot, deps.offeredMethods),
      ...searchEndpoints(snapshot, db),
      ...contentEndpoints(snapshot),
    ],
    adminEndpoints: adminEndpoints({ db, clock, stock, recordAudit, onChange: noteChange }),
    sweeps: [scheduleSweep({ db, clock, onChange: noteChange })],
    serveMedia: (app) => serveMedia(app, db),
    noteChange,
  };
}
