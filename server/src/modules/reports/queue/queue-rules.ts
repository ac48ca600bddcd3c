/** Why an order needs a person, and what that person should do first. Pure. */

export interface QueuedItem {
  readonly mode: 'CODE' | 'TOPUP';
  readonly engine: 'PRELOADED' | 'PARTNER';
  readonly quantity: number;
  readonly fulfilled: boolean;
  readonly status: string;
  /** Units that have a code. */
  readonly codes: number;
  /** Purchases whose result nobody knows yet. */
  readonly unclearPurchases: number;
  readonly activeSources: number;
  /** Units in the stock that could be sold now. */
  readonly sellableUnits: number;
  readonly lastAttemptStatus: string | null;
}

export type Cause =
  | 'partner_result_unknown'
  | 'email_failed'
  | 'in_stock_again'
  | 'out_of_stock'
  | 'no_partner_source'
  | 'partner_failed'
  | 'asked_by_operator'
  | 'not_fulfilled';

export interface Diagnosis {
  readonly cause: Cause;
  /** The operation that most likely ends it, and a sentence for the person. */
  readonly action: 'requery_partner' | 'resend_email' | 'partner_retry' | 'manual_codes';
  readonly advice: string;
}

const diagnoses: Record<Cause, Omit<Diagnosis, 'cause'>> = {
  partner_result_unknown: {
    action: 'requery_partner',
    advice: 'Ask the partner what became of the purchase before anything is bought again.',
  },
  email_failed: {
    action: 'resend_email',
    advice: 'The codes are stored. Check the address, then send the e-mail again.',
  },
  in_stock_again: { action: 'partner_retry', advice: 'The stock has what is missing by now: retry.' },
  out_of_stock: {
    action: 'manual_codes',
    advice: 'The stock ran out. Load codes and retry, or enter them by hand.',
  },
  no_partner_source: {
    action: 'manual_codes',
    advice: 'No active source sells this variant. Add one and retry, or enter codes by hand.',
  },
  partner_failed: {
    action: 'partner_retry',
    advice: 'The partner said no. Retry, force another source, or enter codes by hand.',
  },
  asked_by_operator: {
    action: 'resend_email',
    advice: 'Everything was delivered; an operator asked for attention. Send the e-mail again to close it.',
  },
  not_fulfilled: {
    action: 'partner_retry',
    advice: 'Nothing has been tried yet. Retry, or enter codes by hand.',
  },
};

/** The worst of its items decides: what is unclear comes first, since acting on the rest could buy twice. */
export function diagnose(items: readonly QueuedItem[]): Diagnosis {
  const cause = causeOf(items.filter((item) => !item.fulfilled));
  return { cause, ...diagnoses[cause] };
}

function causeOf(open: readonly QueuedItem[]): Cause {
  if (open.length === 0) return 'asked_by_operator';
  if (open.some((item) => item.unclearPurchases > 0)) return 'partner_result_unknown';
  const lacking = open.filter((item) => !hasEverything(item));
  if (lacking.length === 0) return 'email_failed';
  if (lacking.every(isInStock)) return 'in_stock_again';
  if (lacking.some((item) => item.engine === 'PRELOADED' && item.activeSources === 0)) return 'out_of_stock';
  if (lacking.some((item) => item.activeSources === 0)) return 'no_partner_source';
  return lacking.some((item) => item.lastAttemptStatus !== null) ? 'partner_failed' : 'not_fulfilled';
}

const isInStock = (item: QueuedItem): boolean =>
  item.mode === 'CODE' && item.sellableUnits >= item.quantity - item.codes;

function hasEverything(item: QueuedItem): boolean {
  if (item.codes >= item.quantity) return true;
  return item.mode === 'TOPUP' && (item.status === 'PROCESSING' || item.status === 'DISPATCH_FAILED');
}

export type Urgency = 'new' | 'waiting' | 'overdue';

const WAITING_AFTER_SECONDS = 15 * 60;
const OVERDUE_AFTER_SECONDS = 60 * 60;

/** A paid customer waits: after a quarter of an hour it shows, after an hour it is too long. */
export function urgencyOf(ageSeconds: number): Urgency {
  if (ageSeconds >= OVERDUE_AFTER_SECONDS) return 'overdue';
  return ageSeconds >= WAITING_AFTER_SECONDS ? 'waiting' : 'new';
}
