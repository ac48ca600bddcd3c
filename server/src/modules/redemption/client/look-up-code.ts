import { inOneStatement } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { readAskedToken, refusalError, refuseGuessers } from './asked-token.ts';
import type { MissLimits } from './miss-limits.ts';
import { lookUpToken } from './redeem-store.ts';
import type { VisitedCampaignRow } from './redeem-store.ts';
import type { Visitor } from './visitor.ts';

export interface LookUpDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly misses: MissLimits;
}

export interface LookedUp {
  /** `redeemed` only for the address that redeemed it, within 24 hours (decisions 7.2). */
  readonly status: 'available' | 'redeemed';
  readonly campaign: VisitedCampaignRow;
}

/**
 * What a token is good for at this moment. Writes the attempt and changes nothing else.
 * @throws AppError NOT_FOUND, GONE, SERVICE_UNAVAILABLE with `data.code`; TOO_MANY_REQUESTS for guessing.
 */
export async function lookUpCode(
  deps: LookUpDeps,
  asked: { token: string; visitor: Visitor },
): Promise<LookedUp> {
  const { visitor } = asked;
  await refuseGuessers(deps.misses, visitor.ip);
  const token = readAskedToken(deps.box, asked.token);
  const row = await inOneStatement(deps.db, (tx) => lookUpToken(tx, token, visitor));
  switch (row.outcome) {
    case 'available':
    case 'redeemed':
      return { status: row.outcome, campaign: row };
    case 'revealed_again':
      throw new Error('A lookup never reveals');
    default:
      throw await refusalError(deps.misses, row.outcome, { ip: visitor.ip, row });
  }
}
