import { limitAddress, neighbourhoodOf } from '../../../platform/http/throttle-address.ts';
import type { Limit, RequestLimiter } from '../../../platform/http/throttle/throttle.ts';

/**
 * Limits on guessing: they count unknown tokens only, never valid scans, since phones share addresses (decisions
 * part 8). Once one of them is reached, nothing more is looked up for that address until its window ends.
 */
export interface MissLimits {
  /** @returns seconds to wait, or undefined when the address may ask. */
  waitSeconds(ip: string): Promise<number | undefined>;
  /** Counts an unknown token. @returns seconds to wait when that was one too many: it must not be answered. */
  countMiss(ip: string): Promise<number | undefined>;
}

export interface MissLimitSettings {
  readonly perAddress: Limit;
  /** A /24 of IPv4, a /48 of IPv6. */
  readonly perNeighbourhood: Limit;
  readonly overall: Limit;
}

/** With these, 100,000 live codes of 9 characters and 5 misses a second, a guess hits once in 612 days. */
export const defaultMissLimits: MissLimitSettings = {
  perAddress: { name: 'unknown-codes', requests: 10, windowSeconds: 3600 },
  perNeighbourhood: { name: 'unknown-codes-near', requests: 100, windowSeconds: 3600 },
  overall: { name: 'unknown-codes-all', requests: 5, windowSeconds: 1 },
};

/** @param limiter must not be scaled: THROTTLE_SCALE is for load tests and leaves guessing alone. */
export function createMissLimits(
  limiter: RequestLimiter,
  settings: MissLimitSettings = defaultMissLimits,
): MissLimits {
  const limitsOf = (ip: string): [Limit, string][] => [
    [settings.perAddress, limitAddress(ip)],
    [settings.perNeighbourhood, neighbourhoodOf(ip)],
    [settings.overall, 'all'],
  ];
  const longestWait = async (ip: string, how: 'peek' | 'take'): Promise<number | undefined> => {
    const counts = await Promise.all(limitsOf(ip).map(([limit, subject]) => limiter[how](limit, subject)));
    const waits = counts.filter((count) => count.isOver).map((count) => count.resetSeconds);
    return waits.length === 0 ? undefined : Math.max(...waits);
  };
  return {
    waitSeconds: (ip) => longestWait(ip, 'peek'),
    countMiss: (ip) => longestWait(ip, 'take'),
  };
}
