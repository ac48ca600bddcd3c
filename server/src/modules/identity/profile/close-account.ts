import { inTransaction } from '../../../platform/db/database.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { findUser } from '../accounts/user-store.ts';
import type { CustomerRecords } from '../customer-records.ts';
import { tokenRefused } from '../errors.ts';
import { proveOtp } from '../otp/prove-otp.ts';
import type { OtpDeps } from '../otp/prove-otp.ts';
import { endSessions } from '../tokens/session-store.ts';
import type { SignOutDeps } from '../tokens/sign-out.ts';
import { anonymiseUser, lockUser } from './profile-store.ts';

export interface CloseAccountDeps extends OtpDeps, SignOutDeps {
  readonly records: CustomerRecords;
}

/**
 * Closes the account for good: what says who it was goes, orders and payments stay as money records, the number is
 * free again.
 * @throws AppError VALIDATION_ERROR (field `otp_code`), CONFLICT while an order is under way.
 */
export async function closeAccount(
  deps: CloseAccountDeps,
  input: { userId: number; proof: string },
): Promise<void> {
  const { userId } = input;
  const user = await findUser(deps.db, userId);
  if (!user?.msisdn) throw tokenRefused();
  const useOtp = await proveOtp(deps, { purpose: 'close_account', msisdn: user.msisdn }, input.proof);
  const ended = await inTransaction(deps.db, async (tx) => {
    const ids = await eraseUser(deps, tx, { userId, reason: 'closed by the customer' });
    await useOtp(tx);
    return ids;
  });
  deps.endedSessions.note(ended);
}

/**
 * The same for a customer and for an operator who acts for one.
 * @returns the sessions that ended. @throws AppError CONFLICT while an order is under way, or when it is closed already.
 */
export async function eraseUser(
  deps: CloseAccountDeps,
  tx: Tx,
  erased: { userId: number; reason: string },
): Promise<string[]> {
  const { userId, reason } = erased;
  await lockUser(tx, userId);
  if ((await deps.records.countUnfinishedOrders(tx, userId)) > 0) {
    throw new AppError('CONFLICT', 'An order is under way: wait until it is delivered, or cancel it');
  }
  const ended = await endSessions(tx, { userId, reason: 'account_closed', now: deps.clock.now() });
  if (!(await anonymiseUser(tx, userId, reason)))
    throw new AppError('CONFLICT', 'The account is closed already');
  return ended;
}
