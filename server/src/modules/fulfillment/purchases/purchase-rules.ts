import type { DeliveredCode, QueryResult } from '../partners/partner.ts';
import type { PurchaseStatus } from './purchase-states.ts';

/** Seconds after the call when an unknown result is asked about (reliability protocol). */
export const QUERY_SCHEDULE_SECONDS = [15, 60, 300, 900, 3600] as const;
/** An answer that has not come by then is an operator's business too; the questions go on. */
const ATTENTION_AFTER_SECONDS = 300;
/** A success without its code: cards that are made on demand are there by then. */
const CODE_AFTER_SECONDS = 60;
/** What was declared dead without the partner's own no is asked about once more, should it have lived. */
const LAST_QUESTION_AFTER_SECONDS = 3600;

export interface AskedPurchase {
  readonly status: PurchaseStatus;
  readonly mode: 'CODE' | 'TOPUP';
  readonly secondsSinceFirstCall: number;
  readonly secondsSinceLastCall: number;
  /** Questions asked so far, the present one included. */
  readonly questions: number;
  readonly canQuery: boolean;
  readonly isRepeatable: boolean;
  readonly notFoundIsFinalAfterSeconds: number;
}

export type Judgement =
  | { readonly kind: 'done'; readonly codes: readonly DeliveredCode[] }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly isTransient: boolean;
      readonly retryAfterSeconds: number | null;
      readonly askAgainAfterSeconds: number | null;
    }
  | { readonly kind: 'disputed'; readonly reason: string; readonly askAgainAfterSeconds: number | null }
  | {
      readonly kind: 'unanswered';
      readonly reason: string;
      readonly askAgainAfterSeconds: number | null;
      readonly needsAttention: boolean;
    }
  /** The same reference may be sent again, now. */
  | { readonly kind: 'repeat' };

/** What an answer means for a purchase. Only a definite no is a no; what is unclear stays unclear. */
export function judgeResult(result: QueryResult, asked: AskedPurchase): Judgement {
  switch (result.kind) {
    case 'delivered':
      return { kind: 'done', codes: asked.mode === 'CODE' ? result.codes : [] };
    case 'credited':
      return asked.mode === 'TOPUP' ? { kind: 'done', codes: [] } : judgeWithoutCode(asked);
    case 'without_code':
      return judgeWithoutCode(asked);
    case 'refused': {
      const { reason, isTransient, retryAfterSeconds = null } = result;
      return { kind: 'refused', reason, isTransient, retryAfterSeconds, askAgainAfterSeconds: null };
    }
    case 'processing':
      return unanswered('the partner is still processing it', asked);
    case 'unknown':
      return unanswered(result.reason, asked);
    case 'not_found':
      return judgeNotFound(asked);
  }
}

function judgeWithoutCode(asked: AskedPurchase): Judgement {
  const reason = 'the partner says that it delivered, and gave no code';
  if (asked.canQuery && asked.secondsSinceFirstCall < CODE_AFTER_SECONDS) return unanswered(reason, asked);
  return { kind: 'disputed', reason, askAgainAfterSeconds: askAgainAfter(asked) };
}

function judgeNotFound(asked: AskedPurchase): Judgement {
  const reason = 'the partner does not know the reference';
  if (asked.status === 'REJECTED' || asked.secondsSinceLastCall >= asked.notFoundIsFinalAfterSeconds) {
    const askAgainAfterSeconds = asked.status === 'REJECTED' ? null : LAST_QUESTION_AFTER_SECONDS;
    return { kind: 'refused', reason, isTransient: true, retryAfterSeconds: null, askAgainAfterSeconds };
  }
  const mayRepeat = asked.isRepeatable && asked.status === 'UNKNOWN';
  return mayRepeat ? { kind: 'repeat' } : unanswered(reason, asked);
}

function unanswered(reason: string, asked: AskedPurchase): Judgement {
  const askAgainAfterSeconds = askAgainAfter(asked);
  const needsAttention =
    askAgainAfterSeconds === null || asked.secondsSinceFirstCall >= ATTENTION_AFTER_SECONDS;
  return { kind: 'unanswered', reason, askAgainAfterSeconds, needsAttention };
}

/** Seconds from now to the next question; null when there is none to ask, or enough have been. */
function askAgainAfter(asked: AskedPurchase): number | null {
  const due = QUERY_SCHEDULE_SECONDS[asked.questions];
  if (due === undefined || !(asked.canQuery || asked.isRepeatable)) return null;
  return Math.max(due - asked.secondsSinceLastCall, 1);
}

/** An operator's word that nothing was bought, in the form of an answer. */
export function refusedByOperator(notes: string): Extract<Judgement, { kind: 'refused' }> {
  return {
    kind: 'refused',
    reason: `settled by an operator: ${notes}`.slice(0, 255),
    isTransient: false,
    retryAfterSeconds: null,
    askAgainAfterSeconds: LAST_QUESTION_AFTER_SECONDS,
  };
}

/** A purchase of the same unit in the same effort that came to nothing. */
export interface PastPurchase {
  readonly sourceId: number;
  readonly partnerName: string;
  readonly round: number;
  readonly isTransient: boolean;
  readonly retryAfterSeconds: number | null;
  readonly reason: string;
}

export interface RankedSource {
  readonly id: number;
  readonly requiredFields: readonly { readonly name: string; readonly required: boolean }[];
}

export type NextPurchase =
  | { readonly kind: 'buy'; readonly sourceId: number; readonly round: number; readonly afterSeconds: number }
  | { readonly kind: 'exhausted'; readonly reason: string };

/** How long an automatic effort waits before it asks everybody again who was only busy or out of reach. */
const ROUND_DELAYS_SECONDS = [5, 30] as const;

/**
 * Where a unit is bought next: the first source, in order, that has not said no in this round; when all have, and one
 * said "not now", that one again after a while.
 *
 * @param choice.sources usable ones, best first; `past` all noes of this effort, oldest first.
 */
export function chooseNextPurchase(choice: {
  readonly sources: readonly RankedSource[];
  readonly input: Readonly<Record<string, string>>;
  readonly past: readonly PastPurchase[];
  readonly mayWait: boolean;
}): NextPurchase {
  const { sources, input, past, mayWait } = choice;
  const able = sources.filter((source) => missingFields(source, input).length === 0);
  const round = Math.max(1, ...past.map((purchase) => purchase.round));
  const isTried = (source: RankedSource): boolean =>
    past.some((purchase) => purchase.sourceId === source.id && purchase.round === round);
  // In a later round only those are asked again who were not sure.
  const isOut = (source: RankedSource): boolean =>
    past.some((purchase) => purchase.sourceId === source.id && !purchase.isTransient);
  const next = able.find((source) => !isTried(source) && !isOut(source));
  if (next) return { kind: 'buy', sourceId: next.id, round, afterSeconds: 0 };
  const delay = mayWait ? ROUND_DELAYS_SECONDS[round - 1] : undefined;
  const again = able.find((source) => !isOut(source));
  if (delay !== undefined && again) {
    const asked = past.findLast((purchase) => purchase.sourceId === again.id)?.retryAfterSeconds ?? 0;
    return { kind: 'buy', sourceId: again.id, round: round + 1, afterSeconds: Math.max(delay, asked) };
  }
  return { kind: 'exhausted', reason: whyExhausted(choice) };
}

function missingFields(source: RankedSource, input: Readonly<Record<string, string>>): string[] {
  return source.requiredFields
    .filter(({ name, required }) => required && !input[name]?.trim())
    .map(({ name }) => name);
}

function whyExhausted(choice: Parameters<typeof chooseNextPurchase>[0]): string {
  const { sources, input, past } = choice;
  const noes = [...new Set(past.map(({ partnerName, reason }) => `${partnerName}: ${reason}`))];
  const missing = [...new Set(sources.flatMap((source) => missingFields(source, input)))];
  if (missing.length > 0) noes.push(`the order lacks ${missing.join(', ')}, which the partner needs`);
  if (noes.length === 0) return 'No partner source is configured for this variant';
  return noes.join('; ').slice(0, 500);
}
