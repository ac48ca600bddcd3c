import type { AppError } from '../../../platform/errors.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { refused, tooManyMisses } from '../errors.ts';
import { normaliseToken, redemptionContexts, tokenDigest } from '../redemption-secrets.ts';
import type { Refusal } from '../redemption-outcomes.ts';
import type { MissLimits } from './miss-limits.ts';
import type { AskedToken, VisitedCampaignRow } from './redeem-store.ts';

/** A token as typed, ready to be looked for and to be logged. Every input makes one, however malformed. */
export function readAskedToken(box: SecretBox, typed: string): AskedToken {
  const token = normaliseToken(typed);
  return { digest: tokenDigest(box, token), sealed: box.seal(token, redemptionContexts.typedToken) };
}

/** @throws AppError TOO_MANY_REQUESTS when the address has guessed too often. */
export async function refuseGuessers(misses: MissLimits, ip: string): Promise<void> {
  const waitSeconds = await misses.waitSeconds(ip);
  if (waitSeconds !== undefined) throw tooManyMisses(waitSeconds);
}

/** The error of a refusal. An unknown token counts against the address and may be answered 429 for it. */
export async function refusalError(
  misses: MissLimits,
  refusal: Refusal,
  asked: { ip: string; row: VisitedCampaignRow },
): Promise<AppError> {
  if (refusal === 'unknown_code') {
    const waitSeconds = await misses.countMiss(asked.ip);
    if (waitSeconds !== undefined) return tooManyMisses(waitSeconds);
  }
  return refused(refusal, factsOf(refusal, asked.row));
}

function factsOf(refusal: Refusal, row: VisitedCampaignRow): Record<string, string> {
  if (refusal === 'not_started' && row.starts_at) return { starts_at: row.starts_at.toISOString() };
  if (refusal === 'expired' && row.ends_at) return { ends_at: row.ends_at.toISOString() };
  return {};
}
