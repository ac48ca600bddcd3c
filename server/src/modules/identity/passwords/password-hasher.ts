import { hash, verify } from '@node-rs/argon2';
import { BulkheadRejectedError, bulkhead } from 'cockatiel';

import { AppError } from '../../../platform/errors.ts';
import { isInTransaction } from '../../../platform/db/database.ts';

/** argon2id with OWASP's minimum: 19 MiB, two passes, one lane. About 20 ms of one core. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const AT_ONCE = 2;
const WAITING = 20;

/** `8 to 128 characters` (decisions part 2); what is longer would only cost time. */
export const PASSWORD_LENGTH = { minLength: 8, maxLength: 128 } as const;

export interface PasswordHasher {
  /** @throws AppError SERVICE_UNAVAILABLE when too many are waiting. */
  hash(password: string): Promise<string>;
  /**
   * False when it does not match, and, after the same work, when there is no hash to match.
   * @throws AppError SERVICE_UNAVAILABLE when too many are waiting.
   */
  verify(stored: string | undefined, password: string): Promise<boolean>;
}

/**
 * Two hashes at a time and a short queue: hashing is the dearest thing a stranger can ask for, and a storm of sign-ins
 * must not take the cores from orders and callbacks.
 */
export function createPasswordHasher(): PasswordHasher {
  const gate = bulkhead(AT_ONCE, WAITING);
  const nobodysHash = hash('the password of an account that does not exist', COST);
  // Awaited by the first to verify an unknown account, who then sees the failure.
  nobodysHash.catch(() => undefined);

  async function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    if (isInTransaction()) throw new Error('No hashing inside a transaction: a row lock would wait for it');
    try {
      return await gate.execute(work);
    } catch (error) {
      if (!(error instanceof BulkheadRejectedError)) throw error;
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        'Too many people are signing in just now; try again in a moment',
        {
          retryAfterSeconds: 1,
        },
      );
    }
  }

  return {
    hash: (password) => inTurn(() => hash(password, COST)),
    verify: (stored, password) =>
      inTurn(async () => {
        const matches = await verify(stored ?? (await nobodysHash), password);
        return matches && stored !== undefined;
      }),
  };
}
