/** What can come of a lookup or a redeem; the attempt log holds one of these (decisions 7.4). */
export const REFUSALS = [
  'phone_required',
  'unknown_code',
  'voided',
  'already_redeemed',
  'expired',
  'not_started',
  'campaign_inactive',
  'temporarily_unavailable',
  'ip_limit_reached',
] as const;
/** In the order in which they are checked (decisions 7.1); the values of `data.code` (interface part 7). */
export type Refusal = (typeof REFUSALS)[number];

export const ACTIONS = ['lookup', 'redeem'] as const;
export type Action = (typeof ACTIONS)[number];

/** `redeemed` of a lookup: the asker redeemed it and may see it again. `revealed_again` of a redeem: they did. */
export const OUTCOMES = ['available', 'redeemed', 'revealed_again', ...REFUSALS] as const;
export type Outcome = (typeof OUTCOMES)[number];
