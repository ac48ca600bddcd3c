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
import { findAdminByEmail } from './admin-store.ts';
import type { AdminRow } from './admin-store.ts';

export interface LogInAdminDeps extends SessionDeps {
  readonly db: Database;
  readonly hasher: PasswordHasher;
  readonly guesses: GuessGuard;
}

/**
 * @throws AppError UNAUTHORIZED with one message for an unknown address and a wrong password; TOO_MANY_REQUESTS after
 *   10 failures for the address or 50 for the network address; FORBIDDEN when suspended; SERVICE_UNAVAILABLE.
 */
export async function logInAdmin(
  deps: LogInAdminDeps,
  input: { email: string; password: string; visitor: Visitor },
): Promise<{ admin: AdminRow; tokens: TokenPair }> {
  const { password, visitor } = input;
  const email = input.email.trim().toLowerCase();
  const admin = await deps.guesses.guard(limitsFor('admin_login', email, visitor.limitKey), async () => {
    const found = await findAdminByEmail(deps.db, email);
    return (await deps.hasher.verify(found?.password_hash, password)) ? found : undefined;
  });
  if (!admin) throw signInRefused();
  if (admin.status !== 'active') throw new AppError('FORBIDDEN', 'This admin is suspended');
  const holder = { audience: 'admin', id: admin.id } as const;
  const issue = await inOneStatement(deps.db, (tx) => openSession(deps, tx, { holder, visitor }));
  return { admin, tokens: await issue() };
}
