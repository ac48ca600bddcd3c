import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { handleJob } from '../../../platform/jobs/queue.ts';
import type { JobHandler } from '../../../platform/jobs/queue.ts';
import type { Sweep } from '../../../platform/jobs/sweeps.ts';
import { followRefund } from './follow-refund.ts';
import { followRefundJob } from './jobs.ts';
import { refundRoutes } from './routes.ts';
import type { RefundRoutesDeps } from './routes.ts';
import { refundSweep } from './sweep-refunds.ts';

export { refundStates } from './refund-states.ts';
export type { RefundRoutesDeps as RefundsDeps } from './routes.ts';

export interface Refunds {
  readonly adminEndpoints: Endpoint[];
  readonly jobHandlers: JobHandler[];
  readonly sweeps: Sweep[];
}

/** Money going back (decisions 4.19): requested, approved, sent by a job, asked about until its end is known. */
export function createRefunds(deps: RefundRoutesDeps): Refunds {
  return {
    adminEndpoints: refundRoutes(deps),
    jobHandlers: [handleJob(followRefundJob, ({ refundId }) => followRefund(deps, refundId))],
    sweeps: [refundSweep(deps)],
  };
}
