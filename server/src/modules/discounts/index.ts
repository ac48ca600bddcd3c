import { inOneStatement } from '../../platform/db/database.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { handleJob } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/queue.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import type { Random } from '../../platform/random.ts';
import { secondsAfter } from '../../platform/time.ts';
import type { Clock } from '../../platform/time.ts';
import { adminDiscountRoutes } from './admin/admin-routes.ts';
import type { AdminDiscountsDeps } from './admin/admin-routes.ts';
import { deleteRefusalsBefore } from './candidate-store.ts';
import { batchRoutes } from './codes/batch-routes.ts';
import { generateCodes, generateDiscountCodesJob } from './codes/generate-codes.ts';
import { discountRoutes } from './routes.ts';

export type { DiscountedOrder } from './admin/report-wire.ts';
export { DiscountChangedError, tooManyAtOnce } from './errors.ts';
export { quoteDiscount } from './quote-discount.ts';
export type { DiscountQuote, HasPaidOrder } from './quote-discount.ts';
export { consumeDiscount, holdDiscountUse, releaseDiscountUse, settleDiscountUse } from './use-discount.ts';

export interface DiscountsDeps extends AdminDiscountsDeps {
  readonly random: Random;
}

export interface Discounts {
  readonly clientEndpoints: Endpoint[];
  readonly adminEndpoints: Endpoint[];
  readonly jobHandlers: JobHandler[];
  readonly sweeps: Sweep[];
}

/** Discount codes: validating, using and managing them (interface parts 2, 4 and 7; decisions part 5). */
export function createDiscounts(deps: DiscountsDeps): Discounts {
  return {
    clientEndpoints: discountRoutes(deps),
    adminEndpoints: [...adminDiscountRoutes(deps), ...batchRoutes(deps)],
    jobHandlers: [handleJob(generateDiscountCodesJob, ({ batchId }) => generateCodes(deps, batchId))],
    sweeps: [refusalsSweep(deps)],
  };
}

const REFUSALS_KEPT_SECONDS = 90 * 24 * 60 * 60;

/** Forgets refused tries that are old. */
function refusalsSweep({ db, clock }: { readonly db: Database; readonly clock: Clock }): Sweep {
  return {
    name: 'forget-old-discount-refusals',
    everySeconds: 600,
    async run() {
      const before = secondsAfter(clock.now(), -REFUSALS_KEPT_SECONDS);
      await inOneStatement(db, (tx) => deleteRefusalsBefore(tx, before));
    },
  };
}
