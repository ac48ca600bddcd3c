import { inOneStatement } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { signInRefused } from '../errors.ts';
import { limitsFor } from '../guessing/guess-limits.ts';
import type { GuessGuard } from '../guessing/guess-limits.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import { openSession } from '../tokens/open-session.ts';
import type { SessionDeps, TokenPair } from '../tokens/open-session.ts';
import type { Visitor } from '../visitor.ts';
import { findUserByMsisdn } from './user-store.ts';
import type { UserRow } from './user-store.ts';

export interface SignInDeps extends SessionDeps {
  readonly db: Database;
  readonly hasher: PasswordHasher;
  readonly guesses: GuessGuard;
}

export interface SignIn {
  /** E.164. */
  readonly msisdn: string;
  readonly password: string;
  readonly visitor: Visitor;
}

/**
 * @throws AppError UNAUTHORIZED with one message, after the same work, for an unknown number and a wrong password;
 *   TOO_MANY_REQUESTS after 10 failures for the number or 50 for the address; FORBIDDEN when the account is blocked;
 *   SERVICE_UNAVAILABLE when too many are signing in.
 */
export async function signIn(deps: SignInDeps, input: SignIn): Promise<{ user: UserRow; tokens: TokenPair }> {
  const { msisdn, password, visitor } = input;
  const user = await deps.guesses.guard(limitsFor('sign_in', msisdn, visitor.limitKey), async () => {
    const found = await findUserByMsisdn(deps.db, msisdn);
    return (await deps.hasher.verify(found?.password_hash, password)) ? found : undefined;
  });
  if (!user) throw signInRefused();
  if (user.status !== 'active') throw new AppError('FORBIDDEN', 'This account is blocked: ask our support');
  const holder = { audience: 'client', id: user.id } as const;
  const issue = await inOneStatement(deps.db, (tx) => openSession(deps, tx, { holder, visitor }));
  return { user, tokens: await issue() };
}
