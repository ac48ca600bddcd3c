/**
 * Redeems of one code stand in line in this process: the first asks the database, the others wait for it here. That
 * is how a redeem knows, without comparing clocks, that it was under way when another took the code, which makes it
 * `already_redeemed` also from the address that took it (decisions 7.2); the database alone sees a redeem only once it
 * has a connection, and of a thousand at once most get theirs after the first was answered. And a thousand redeems of
 * one code do not hold every connection of the pool waiting for one row.
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
  members: number;
  isTaken: boolean;
  readonly waiting: (() => void)[];
}

export function createRedeemLines(): RedeemLines {
  const lines = new Map<string, Line>();
  return {
    async stand(tokenDigest, ask) {
      const key = tokenDigest.toString('latin1');
      const line = lines.get(key) ?? { members: 0, isTaken: false, waiting: [] };
      lines.set(key, line);
      line.members += 1;
      if (line.members > 1 && !line.isTaken) {
        await new Promise<void>((resolve) => line.waiting.push(resolve));
      }
      try {
        const result = await ask(line.isTaken);
        if (result.outcome === 'redeemed') line.isTaken = true;
        return result;
      } finally {
        line.members -= 1;
        if (line.members === 0) lines.delete(key);
        // Once it is taken there is nothing left to wait for.
        for (const next of line.waiting.splice(0, line.isTaken ? Infinity : 1)) next();
      }
    },
  };
}
