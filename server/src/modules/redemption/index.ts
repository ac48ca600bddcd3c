import type { FastifyRequest } from 'fastify';

import type { Database } from '../../platform/db/database.ts';
import type { RecordAudit } from '../../platform/audit.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import type { RequestLimiter } from '../../platform/http/throttle/throttle.ts';
import { handleJob } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/queue.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import type { Logger } from '../../platform/log.ts';
import type { Random } from '../../platform/random.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Clock } from '../../platform/time.ts';
import type { Mailer } from '../mail/index.ts';
import { attemptRoutes } from './attempts/attempt-routes.ts';
import { campaignRoutes } from './campaigns/campaign-routes.ts';
import { clientRoutes } from './client/client-routes.ts';
import { lookUpCode } from './client/look-up-code.ts';
import type { LookedUp } from './client/look-up-code.ts';
import { createMissLimits } from './client/miss-limits.ts';
import type { MissLimitSettings } from './client/miss-limits.ts';
import { redeemCode } from './client/redeem-code.ts';
import type { Redeemed } from './client/redeem-code.ts';
import { createRedeemLines } from './client/redeem-lines.ts';
import { visitorOf } from './client/visitor.ts';
import { codeRoutes } from './codes/code-routes.ts';
import { expireCodesSweep } from './expiry/expire-codes.ts';
import { stockRoutes } from './codes/stock-routes.ts';
import { sendRedemptionEmailJob } from './letters/jobs.ts';
import { sendRedemptionEmail } from './letters/send-redemption-email.ts';
import { printRoutes } from './print/print-routes.ts';

export { defaultMissLimits } from './client/miss-limits.ts';
export type { MissLimitSettings } from './client/miss-limits.ts';
export { redemptionSeals } from './sealed-tables.ts';
export { redemptionLimits } from './client/client-routes.ts';
export type { Refusal } from './redemption-outcomes.ts';
export { redemptionCodeStates } from './redemption-code-states.ts';

export interface RedemptionDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly box: SecretBox;
  readonly mailer: Mailer;
  readonly recordAudit: RecordAudit;
  /** Where QR links lead unless an export names another place; no trailing slash. */
  readonly publicUrl: string;
  /** Called after codes were taken out of the shop's stock for a campaign. */
  readonly noteStockChange: () => void;
  /** Counts unknown tokens. Not scaled by THROTTLE_SCALE (decisions part 10). */
  readonly guessLimiter: RequestLimiter;
  readonly missLimits?: MissLimitSettings;
}

export interface Redemption {
  readonly clientEndpoints: Endpoint[];
  readonly adminEndpoints: Endpoint[];
  readonly jobHandlers: JobHandler[];
  readonly sweeps: Sweep[];
  /** What the two client operations do, for pages of our own: the same rules, limits on guessing and log. */
  readonly counter: {
    lookUp(asked: { token: string; request: FastifyRequest }): Promise<LookedUp>;
    redeem(asked: {
      token: string;
      phone: string;
      email: string;
      request: FastifyRequest;
    }): Promise<Redeemed>;
  };
}

/** Promotional campaigns: codes handed out by QR link, once each (interface parts 2, 3, 4 and 7 on redemption). */
export function createRedemption(given: RedemptionDeps): Redemption {
  const deps = {
    ...given,
    mailDomain: given.mailer.domain,
    misses: createMissLimits(given.guessLimiter, given.missLimits),
    lines: createRedeemLines(),
  };
  return {
    clientEndpoints: clientRoutes(deps),
    adminEndpoints: [
      ...campaignRoutes(deps),
      ...stockRoutes(deps),
      ...codeRoutes(deps),
      ...printRoutes(deps),
      ...attemptRoutes(deps),
    ],
    jobHandlers: [handleJob(sendRedemptionEmailJob, ({ messageId }) => sendRedemptionEmail(deps, messageId))],
    sweeps: [expireCodesSweep(deps)],
    counter: {
      lookUp: ({ token, request }) => lookUpCode(deps, { token, visitor: visitorOf(request) }),
      redeem: ({ request, ...asked }) => redeemCode(deps, { ...asked, visitor: visitorOf(request) }),
    },
  };
}
