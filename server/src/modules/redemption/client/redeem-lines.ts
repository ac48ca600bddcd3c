/**
 * Redeems of one code stand in line in this process: the first asks the database, the others wait for it here. That
 * is how a redeem knows, without comparing clocks, that it was under way when another took the code, which makes it
 * `already_redeemed` also from the address that took it (decisions 7.2); the database alone sees a redeem only once it
 * has a connection, and of a thousand at once most get theirs after the first was answered. And a thousand redeems of
 * one code do not hold every connection of the pool, nor fail because they waited for one too long.
 */
export interface RedeemLines {
  /**
   * Runs `ask` when it is its turn.
   * @param ask.wasUnderway true when somebody ahead in this line took the code.
   */
  stand<Result extends { readonly outcome: string }>(
    tokenDigest: Buffer,
    ask: (wasUnderway: boolean) => Promise<Result>,
  ): Promise<Result>;
}

interface Line {
  isTaken: boolean;
  asking: number;
  readonly waiting: (() => void)[];
}

/** Once the code is taken nobody waits for anybody's outcome; only for room. */
const AT_ONCE_WHEN_TAKEN = 8;

export function createRedeemLines(): RedeemLines {
  const lines = new Map<string, Line>();
  const isFree = (line: Line): boolean => line.asking < (line.isTaken ? AT_ONCE_WHEN_TAKEN : 1);
  return {
    async stand(tokenDigest, ask) {
      const key = tokenDigest.toString('latin1');
      const line = lines.get(key) ?? { isTaken: false, asking: 0, waiting: [] };
      lines.set(key, line);
      // Whoever is let in is counted by the one who lets them in, so that nobody slips in between.
      if (isFree(line)) line.asking += 1;
      else await new Promise<void>((resolve) => line.waiting.push(resolve));
      try {
        const result = await ask(line.isTaken);
        if (result.outcome === 'redeemed') line.isTaken = true;
        return result;
      } finally {
        line.asking -= 1;
        letIn(line);
        if (line.asking === 0) lines.delete(key);
      }
    },
  };

  function letIn(line: Line): void {
    while (isFree(line)) {
      const next = line.waiting.shift();
      if (!next) return;
      line.asking += 1;
      next();
    }
  }
}
