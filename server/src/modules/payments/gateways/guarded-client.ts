import {
  BrokenCircuitError,
  BulkheadRejectedError,
  CircuitState,
  ExponentialBackoff,
  SamplingBreaker,
  bulkhead,
  circuitBreaker,
  handleWhen,
  wrap,
} from 'cockatiel';

import { OutboundError } from '../../../platform/outbound/outbound-client.ts';
import type { OutboundClient, OutboundResponse } from '../../../platform/outbound/outbound-client.ts';

/** How a gateway's line is: for operators, and for nobody's decisions. */
export interface LineHealth {
  /** `open`: calls are refused at once; `half_open`: one is let through to see whether it is well again. */
  readonly state: 'closed' | 'open' | 'half_open';
  readonly calls: number;
  /** Of them without an answer, or answered 5xx or 429. */
  readonly failures: number;
  /** Refused here, without a call: the breaker was open or too many were under way. */
  readonly refused: number;
  readonly underWay: number;
}

export interface GuardedClient extends OutboundClient {
  readonly health: () => LineHealth;
}

/** Fewer than the connections of the client below, so that one hung gateway leaves some to the others. */
const AT_ONCE = 20;
const WAITING = 200;
const SAMPLE_MS = 30_000;
/** Not quite 20: the library compares with a fraction. */
const LEAST_SAMPLED = 19.5;

/**
 * One gateway's own line to the outside: at most twenty calls at once, and none while more than half of the last
 * thirty seconds' calls failed. A refused call throws `neverSent`. Each call brings its own time-out.
 */
export function guardClient(http: OutboundClient): GuardedClient {
  const counts = { calls: 0, failures: 0, refused: 0, underWay: 0 };
  const isFailure = handleWhen((error) => error instanceof OutboundError).orWhenResult((result) =>
    isSick(result as OutboundResponse),
  );
  const breaker = circuitBreaker(isFailure, {
    // Short at first, since an outage of seconds is the usual one; never so long that a recovery goes unnoticed.
    halfOpenAfter: new ExponentialBackoff({ initialDelay: 1_000, maxDelay: 15_000 }),
    breaker: new SamplingBreaker({
      threshold: 0.5,
      duration: SAMPLE_MS,
      minimumRps: (LEAST_SAMPLED * 1000) / SAMPLE_MS,
    }),
  });
  const policy = wrap(breaker, bulkhead(AT_ONCE, WAITING));

  const sendCounted: OutboundClient['send'] = async (call) => {
    counts.calls += 1;
    counts.underWay += 1;
    try {
      const response = await http.send(call);
      if (isSick(response)) counts.failures += 1;
      return response;
    } catch (error) {
      counts.failures += 1;
      throw error;
    } finally {
      counts.underWay -= 1;
    }
  };

  return {
    async send(call) {
      try {
        return await policy.execute(() => sendCounted(call));
      } catch (error) {
        const why = refusalOf(error);
        if (why === undefined) throw error;
        counts.refused += 1;
        throw new OutboundError(`${new URL(call.url).host}: ${why}`, { neverSent: true, cause: error });
      }
    },
    close: () => http.close(),
    health: () => ({ state: stateOf(breaker.state), ...counts }),
  };
}

const isSick = ({ status }: OutboundResponse): boolean => status >= 500 || status === 429;

function refusalOf(error: unknown): string | undefined {
  if (error instanceof BrokenCircuitError) return 'not called, it has been failing';
  return error instanceof BulkheadRejectedError ? 'not called, too many calls are under way' : undefined;
}

function stateOf(state: CircuitState): LineHealth['state'] {
  if (state === CircuitState.HalfOpen) return 'half_open';
  return state === CircuitState.Closed ? 'closed' : 'open';
}
