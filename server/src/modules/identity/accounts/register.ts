import { inTransaction } from '../../../platform/db/database.ts';
import { msisdnTaken } from '../errors.ts';
import { proveOtp } from '../otp/prove-otp.ts';
import type { OtpDeps } from '../otp/prove-otp.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import { openSession } from '../tokens/open-session.ts';
import type { SessionDeps, TokenPair } from '../tokens/open-session.ts';
import type { Visitor } from '../visitor.ts';
import { insertUser } from './user-store.ts';
import type { UserRow } from './user-store.ts';

export interface RegisterDeps extends OtpDeps, SessionDeps {
  readonly hasher: PasswordHasher;
}

export interface Registration {
  /** E.164. */
  readonly msisdn: string;
  /** The token of verify-otp, or the code itself. */
  readonly proof: string;
  readonly name: string;
  readonly password: string;
  readonly visitor: Visitor;
}

/**
 * Creates the account and signs it in. The proof is used up exactly when the account is created.
 * @throws AppError VALIDATION_ERROR (field `otp_code`), CONFLICT when the number has an account, SERVICE_UNAVAILABLE.
 */
export async function register(
  deps: RegisterDeps,
  input: Registration,
): Promise<{ user: UserRow; tokens: TokenPair }> {
  const { msisdn, name, visitor } = input;
  const useOtp = await proveOtp(deps, { purpose: 'register', msisdn }, input.proof);
  const passwordHash = await deps.hasher.hash(input.password);
  const { user, issue } = await inTransaction(deps.db, async (tx) => {
    const created = await insertUser(tx, { msisdn, name, email: null, passwordHash });
    if (!created) throw msisdnTaken();
    await useOtp(tx);
    const holder = { audience: 'client', id: created.id } as const;
    return { user: created, issue: await openSession(deps, tx, { holder, visitor }) };
  });
  return { user, tokens: await issue() };
}
