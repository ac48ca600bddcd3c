import { createHash } from 'node:crypto';

import type { FastifyRequest } from 'fastify';

import type { Database } from '../db/database.ts';
import { statement } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { isAnswer } from './endpoint.ts';
import type { Answer } from './endpoint.ts';

/** Remembers the first answer to a key for 24 hours (decisions 4.13). */
export interface IdempotencyStore {
  /** The key is taken now, or whatever stands under it already. */
  claim(
    key: StoredKey,
  ): Promise<{ claimed: true } | { claimed: false; requestDigest: Buffer; answer: unknown }>;
  complete(key: StoredKey, answer: unknown): Promise<void>;
  forget(key: StoredKey): Promise<void>;
}

export interface StoredKey {
  /** Caller and operation: the same key of another caller is another key. */
  readonly scope: string;
  readonly key: string;
  readonly requestDigest: Buffer;
}

const claimKey = statement(
  'idempotency_claim',
  `INSERT INTO idempotency_keys (scope, key, request_digest) VALUES ($1, $2, $3)
   ON CONFLICT (scope, key) DO UPDATE
     SET request_digest = excluded.request_digest, answer = NULL, created_at = now()
     WHERE idempotency_keys.created_at < now() - interval '24 hours'
   RETURNING 1`,
);
const findKey = statement(
  'idempotency_find',
  'SELECT request_digest, answer FROM idempotency_keys WHERE scope = $1 AND key = $2',
);
const completeKey = statement(
  'idempotency_complete',
  'UPDATE idempotency_keys SET answer = $3 WHERE scope = $1 AND key = $2',
);
const forgetKey = statement(
  'idempotency_forget',
  'DELETE FROM idempotency_keys WHERE scope = $1 AND key = $2',
);

export function createIdempotencyStore(db: Database): IdempotencyStore {
  return {
    async claim({ scope, key, requestDigest }) {
      const { count } = await db.query(claimKey, [scope, key, requestDigest]);
      if (count === 1) return { claimed: true };
      const { rows } = await db.query<{ request_digest: Buffer; answer: unknown }>(findKey, [scope, key]);
      const row = rows[0];
      if (!row) return { claimed: false, requestDigest, answer: null };
      return { claimed: false, requestDigest: row.request_digest, answer: row.answer };
    },
    async complete({ scope, key }, answer) {
      await db.query(completeKey, [scope, key, JSON.stringify(answer)]);
    },
    async forget({ scope, key }) {
      await db.query(forgetKey, [scope, key]);
    },
  };
}

interface StoredAnswer {
  readonly ok?: { data: unknown; message?: string; status?: number; success?: boolean };
  readonly error?: { code: AppError['code']; message: string; data: Record<string, unknown> | null };
}

/**
 * Runs the work at most once for a caller's `Idempotency-Key` and replays its first answer afterwards.
 * A key whose work was cut off (a crash) stays taken and answers 409: it is never run a second time.
 * Validation errors, throttling and our own 5xx are not remembered, since nothing was done.
 */
export async function answerOnce(
  store: IdempotencyStore,
  request: FastifyRequest,
  work: () => Promise<unknown>,
): Promise<unknown> {
  const stored = readKey(request);
  if (!stored) return work();
  const claim = await store.claim(stored);
  if (!claim.claimed) return replay(claim, stored);
  try {
    const result = await work();
    const { data, message, status, success } = isAnswer(result)
      ? result
      : ({ data: result } as Answer<unknown>);
    await store.complete(stored, { ok: { data, message, status, success } });
    return result;
  } catch (error) {
    if (error instanceof AppError && isFinal(error)) {
      await store.complete(stored, { error: { code: error.code, message: error.message, data: error.data } });
    } else if (error instanceof AppError) {
      await store.forget(stored);
    }
    throw error;
  }
}

/** Whether the key is used up: nothing was done under an error that says so by its code. */
function isFinal(error: AppError): boolean {
  if (error.hasEffect) return true;
  const undone: readonly AppError['code'][] = [
    'VALIDATION_ERROR',
    'TOO_MANY_REQUESTS',
    'SERVICE_UNAVAILABLE',
  ];
  return !undone.includes(error.code);
}

function replay(claim: { requestDigest: Buffer; answer: unknown }, stored: StoredKey): unknown {
  if (!claim.requestDigest.equals(stored.requestDigest)) {
    throw new AppError('UNPROCESSABLE', 'This Idempotency-Key was used with another request: take a new key');
  }
  const first = claim.answer as StoredAnswer | null;
  if (first?.error) {
    const { code, message, data } = first.error;
    throw new AppError(code, message, data ? { data } : {});
  }
  if (first?.ok) return { answer: true, ...first.ok };
  throw new AppError(
    'CONFLICT',
    'The first request with this Idempotency-Key has no answer yet: read the orders list',
    {
      data: { type: 'IdempotencyKeyInUse' },
    },
  );
}

function readKey(request: FastifyRequest): StoredKey | undefined {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || key === '') return undefined;
  if (key.length > 255) throw new AppError('BAD_REQUEST', 'Idempotency-Key must be at most 255 characters');
  const caller =
    request.caller?.kind === 'client' ? `client:${request.caller.userId}` : `address:${request.ip}`;
  const target = `${request.method} ${request.url.split('?')[0] ?? ''}`;
  return {
    scope: `${caller} ${target}`,
    key,
    requestDigest: createHash('sha256')
      .update(JSON.stringify(request.body ?? null))
      .digest(),
  };
}
