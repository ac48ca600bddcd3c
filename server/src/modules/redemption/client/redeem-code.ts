import { fieldError } from '../../../platform/errors.ts';
import { inOneStatement } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { isEmailAddress } from '../../catalogue/index.ts';
import { refused } from '../errors.ts';
import { sendRedemptionEmailJob } from '../letters/jobs.ts';
import { redemptionContexts } from '../redemption-secrets.ts';
import { readAskedToken, refusalError, refuseGuessers } from './asked-token.ts';
import type { MissLimits } from './miss-limits.ts';
import { insertPhonelessAttempt, takeCode } from './redeem-store.ts';
import type { AskedToken, TakenCodeRow, Taking, VisitedCampaignRow } from './redeem-store.ts';
import type { RedeemLines } from './redeem-lines.ts';
import type { Visitor } from './visitor.ts';

export interface RedeemDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly misses: MissLimits;
  readonly lines: RedeemLines;
  /** The part of Message-IDs after the @. */
  readonly mailDomain: string;
}

export interface Redeemed {
  readonly campaign: VisitedCampaignRow;
  readonly voucherCode: string;
  readonly instructions: string | null;
}

/**
 * Redeems a token, or shows it again to the address that redeemed it (interface part 4, decisions part 7).
 * @throws AppError BAD_REQUEST, NOT_FOUND, GONE, SERVICE_UNAVAILABLE with `data.code`; VALIDATION_ERROR for an e-mail
 * address that is none; TOO_MANY_REQUESTS for guessing.
 */
export async function redeemCode(
  deps: RedeemDeps,
  asked: { token: string; phone: string; email: string; visitor: Visitor },
): Promise<Redeemed> {
  const { phone, email, visitor } = asked;
  const token = readAskedToken(deps.box, asked.token);
  if (phone === '') {
    await inOneStatement(deps.db, (tx) => insertPhonelessAttempt(tx, token, visitor));
    throw refused('phone_required');
  }
  if (email !== '' && !isEmailAddress(email)) {
    throw fieldError('email', 'email must be a valid e-mail address');
  }
  await refuseGuessers(deps.misses, visitor.ip);
  const letter = email === '' ? null : letterTo(deps, email, token);
  const row = await takeInTurn(deps, { token, visitor, phone, letter });
  switch (row.outcome) {
    case 'redeemed':
    case 'revealed_again': {
      if (!row.voucher_code_sealed) throw new Error('A redeemed code has no voucher code');
      const voucherCode = deps.box.open(row.voucher_code_sealed, redemptionContexts.voucherCode);
      return { campaign: row, voucherCode, instructions: row.instructions };
    }
    case 'available':
      throw new Error('A redeem never leaves a code available');
    default:
      throw await refusalError(deps.misses, row.outcome, { ip: visitor.ip, row });
  }
}

/** Longer than the 24 hours in which a code is shown again: never again in this redeem. */
const FOREVER_SECONDS = 1e6;

function takeInTurn(deps: RedeemDeps, taking: Omit<Taking, 'underwaySeconds'>): Promise<TakenCodeRow> {
  const arrivedAtMs = performance.now();
  return deps.lines.stand(taking.token.digest, (wasUnderway) => {
    const underwaySeconds = (): number =>
      wasUnderway ? FOREVER_SECONDS : (performance.now() - arrivedAtMs) / 1000;
    return inOneStatement(deps.db, (tx) => takeCode(tx, { ...taking, underwaySeconds }));
  });
}

/** The Message-ID follows from code and recipient: a letter sent twice is recognisably the same. */
function letterTo(deps: RedeemDeps, recipient: string, token: AskedToken): Taking['letter'] {
  const subject = `${token.digest.toString('hex')}:${recipient.toLowerCase()}`;
  const contentDigest = deps.box.digest(subject, 'mail.message_id');
  const messageId = `<rdm.${contentDigest.toString('hex', 0, 16)}@${deps.mailDomain}>`;
  return { recipient, messageId, contentDigest, jobName: sendRedemptionEmailJob.name };
}
