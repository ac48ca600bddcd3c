import { inTransaction } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import { fieldError } from '../../../platform/errors.ts';
import { limitsFor } from '../guessing/guess-limits.ts';
import type { GuessGuard } from '../guessing/guess-limits.ts';
import { endSessions } from '../tokens/session-store.ts';
import type { SignOutDeps } from '../tokens/sign-out.ts';
import type { Visitor } from '../visitor.ts';
import { findPasswordHash, updatePassword } from './password-store.ts';
import type { PasswordHolder } from './password-store.ts';
import type { PasswordHasher } from './password-hasher.ts';

export interface ChangePasswordDeps extends SignOutDeps {
  readonly db: Database;
  readonly hasher: PasswordHasher;
  readonly guesses: GuessGuard;
}

export interface PasswordChange {
  readonly holder: PasswordHolder;
  /** The session that asks, which stays. */
  readonly sessionId: string;
  readonly currentPassword: string;
  readonly newPassword: string;
  readonly visitor: Visitor;
}

/**
 * Ends every other session of the holder.
 * @throws AppError VALIDATION_ERROR (field `current_password`), TOO_MANY_REQUESTS, SERVICE_UNAVAILABLE.
 */
export async function changePassword(deps: ChangePasswordDeps, change: PasswordChange): Promise<void> {
  const { holder, sessionId: exceptSessionId } = change;
  await confirmPassword(deps, { ...change, password: change.currentPassword, field: 'current_password' });
  const passwordHash = await deps.hasher.hash(change.newPassword);
  const now = deps.clock.now();
  const ended = await inTransaction(deps.db, async (tx) => {
    await updatePassword(tx, holder, passwordHash);
    return endSessions(tx, { ...holder, exceptSessionId, reason: 'password_changed', now });
  });
  deps.endedSessions.note(ended);
}

/** That the one who is signed in knows the password: a stolen access token alone must not change the locks. */
export async function confirmPassword(
  deps: ChangePasswordDeps,
  asked: { holder: PasswordHolder; password: string; field: string; visitor: Visitor },
): Promise<void> {
  const { holder, password, field, visitor } = asked;
  const account = 'userId' in holder ? `user:${holder.userId}` : `admin:${holder.adminId}`;
  const right = await deps.guesses.guard(
    limitsFor('password_change', account, visitor.limitKey),
    async () => {
      const stored = await findPasswordHash(deps.db, holder);
      return (await deps.hasher.verify(stored, password)) || undefined;
    },
  );
  if (!right) throw fieldError(field, `${field} is not right`);
}
