import {
  BrokenCircuitError,
  BulkheadRejectedError,
  CircuitState,
  CountBreaker,
  bulkhead,
  circuitBreaker,
  handleWhen,
  wrap,
} from 'cockatiel';

import { OutboundError } from '../../../platform/outbound/outbound-client.ts';
import type { OutboundClient, OutboundResponse } from '../../../platform/outbound/outbound-client.ts';

export interface LineLimits {
  /** Calls to one partner at a time in this process: a slow one must not use up all workers. */
  readonly atOnce: number;
  /** No calls after this share of so many failed, for a while; then one is let through to see. */
  readonly breaker: { readonly share: number; readonly ofCalls: number; readonly pauseMs: number };
}

export const usualLimits: LineLimits = {
  atOnce: 4,
  breaker: { share: 0.5, ofCalls: 20, pauseMs: 30_000 },
};

export interface PartnerLine extends OutboundClient {
  /** Whether a call would be made at once. */
  hasRoom(): boolean;
  /** `open`: calls are refused without being made; `half_open`: one is let through. In this process. */
  breaker(): 'closed' | 'open' | 'half_open';
}

const WAITING = 1_000;

/** One partner's own line to the outside. A call that is refused here throws `neverSent`. */
export function createPartnerLine(http: OutboundClient, limits: LineLimits): PartnerLine {
  const isSick = handleWhen((error) => error instanceof OutboundError).orWhenResult(
    (result) => (result as OutboundResponse).status >= 500 || (result as OutboundResponse).status === 429,
  );
  const { share, ofCalls, pauseMs } = limits.breaker;
  const breaker = circuitBreaker(isSick, {
    halfOpenAfter: pauseMs,
    breaker: new CountBreaker({ threshold: share, size: ofCalls }),
  });
  const room = bulkhead(limits.atOnce, WAITING);
  // The breaker inside: what waited for room learns of an outage that began meanwhile.
  const policy = wrap(room, breaker);
  return {
    async send(call) {
      try {
        return await policy.execute(() => http.send(call));
      } catch (error) {
        const why = refusalOf(error);
        if (why === undefined) throw error;
        throw new OutboundError(`${new URL(call.url).host}: ${why}`, { neverSent: true, cause: error });
      }
    },
    close: () => http.close(),
    hasRoom: () => room.executionSlots > 0,
    breaker: () => nameOf(breaker.state),
  };
}

function refusalOf(error: unknown): string | undefined {
  if (error instanceof BrokenCircuitError) return 'not called, it has been failing';
  return error instanceof BulkheadRejectedError ? 'not called, too many calls are waiting' : undefined;
}

function nameOf(state: CircuitState): ReturnType<PartnerLine['breaker']> {
  if (state === CircuitState.HalfOpen) return 'half_open';
  return state === CircuitState.Closed ? 'closed' : 'open';
}
