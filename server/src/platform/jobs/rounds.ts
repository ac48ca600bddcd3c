/** Where a row stands in the order of its moment, exact to the microsecond, and its id. */
export interface Place {
  readonly at: string;
  readonly id: number;
}

const BEGINNING: Place = { at: '-infinity', id: 0 };

export interface Round {
  /** The last of the turn before; the beginning, when that saw all there were. */
  after(): Place;
  end(turn: readonly Place[]): void;
}

/**
 * A sweep's turns, each going on where the last ended, round and round: rows whose work fails every time must not hide
 * the others behind them. Known to this process only; another one begins anew, which does no harm.
 */
export function createRound(limit: number): Round {
  let last = BEGINNING;
  return {
    after: () => last,
    end(turn) {
      last = (turn.length < limit ? undefined : turn.at(-1)) ?? BEGINNING;
    },
  };
}
