/**
 * Rotation confirmed on use (decisions part 2), as a pure rule. A session's refresh tokens are numbered; `confirmed` is
 * the newest that its holder has shown.
 */
export type RefreshDecision =
  /** The newest shown so far: it may ask again and again, and gets the same successor. */
  | 'repeat'
  /** The successor, shown for the first time: from now on the one before it is dead. */
  | 'confirm'
  /** Older than one that was shown already: two people hold this session. */
  | 'theft';

export function decideRefresh(shown: number, confirmed: number): RefreshDecision {
  if (shown < confirmed) return 'theft';
  return shown === confirmed ? 'repeat' : 'confirm';
}
