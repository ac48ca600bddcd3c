/**
 * Which codes are being redeemed by this process right now, and since when. A redeem that was under way when another
 * took the code gets `already_redeemed`, also from the address that took it; asking again after an answer shows the
 * code again (decisions 7.2). The database sees a redeem only once it has a connection: of a thousand at once, most
 * reach it after the first was answered. So those that overlap here count as one burst, as old as its first.
 */
export interface RedeemsUnderway {
  enter(tokenDigest: Buffer): Underway;
}

export interface Underway {
  /** How long the burst has lasted. */
  readonly seconds: () => number;
  /** Call when the answer is ready. */
  readonly leave: () => void;
}

interface Burst {
  readonly startedAtMs: number;
  members: number;
}

export function createRedeemsUnderway(): RedeemsUnderway {
  const bursts = new Map<string, Burst>();
  return {
    enter(tokenDigest) {
      const key = tokenDigest.toString('latin1');
      const burst = bursts.get(key) ?? { startedAtMs: performance.now(), members: 0 };
      burst.members += 1;
      bursts.set(key, burst);
      return {
        seconds: () => (performance.now() - burst.startedAtMs) / 1000,
        leave: () => {
          burst.members -= 1;
          if (burst.members === 0) bursts.delete(key);
        },
      };
    },
  };
}
