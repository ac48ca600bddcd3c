import type { FastifyReply, FastifyRequest } from 'fastify';
import type { World } from '../../world.ts';
import { isExpired, readToken, signToken } from '../../signed-token.ts';
import { status } from './status-codes.ts';

const AUDIENCE = 'bkash';
const TOKEN_TTL_SECONDS = 3_600;
const REFRESH_TTL_SECONDS = 28 * 24 * 3_600;
const HOUR_MS = 3_600_000;

interface TokenCall {
  /** Milliseconds since 1970. */
  at: number;
}

export interface Tokens {
  /** Answers a grant or a refresh call. */
  grant(request: FastifyRequest, reply: FastifyReply, how: 'grant' | 'refresh'): object;
  /** Whether a call may go on; if not, it has been answered. */
  admit(request: FastifyRequest, reply: FastifyReply): boolean;
}

/** One token serves an hour, and only a few calls an hour are let through. */
export function createTokens(world: World): Tokens {
  const { username, password, appKey, appSecret } = world.credentials.walletTokenized;
  const keys = world.credentials.tokenKeys;
  const calls = world.ledger.table<TokenCall>('wallet_tokenized/token_calls');

  function isOverLimit(): boolean {
    const recent = calls.rows().filter(({ at }) => at > Date.now() - HOUR_MS);
    if (recent.length >= world.tokenCallsPerHour) return true;
    calls.put(`${calls.size()}`, { at: Date.now() });
    return false;
  }

  function isOurs(request: FastifyRequest): boolean {
    const body = (request.body ?? {}) as Record<string, unknown>;
    return (
      request.headers['username'] === username &&
      request.headers['password'] === password &&
      body['app_key'] === appKey &&
      body['app_secret'] === appSecret
    );
  }

  function isRefreshToken(request: FastifyRequest): boolean {
    const token = (request.body as Record<string, unknown> | null)?.['refresh_token'];
    const claims = typeof token === 'string' ? readToken(keys, token) : undefined;
    return claims?.aud === AUDIENCE && claims.use === 'refresh' && !isExpired(claims);
  }

  return {
    grant(request, reply, how) {
      if (!isOurs(request)) return status('2001');
      if (how === 'refresh' && !isRefreshToken(request)) {
        void reply.code(401);
        return { message: 'Unauthorized' };
      }
      if (isOverLimit()) {
        void reply.code(429);
        return { message: 'Too Many Requests' };
      }
      return {
        ...status('0000'),
        id_token: signToken(keys, { aud: AUDIENCE, use: 'id', ttlSeconds: TOKEN_TTL_SECONDS }),
        token_type: 'Bearer',
        expires_in: TOKEN_TTL_SECONDS,
        refresh_token: signToken(keys, {
          aud: AUDIENCE,
          use: 'refresh',
          ttlSeconds: REFRESH_TTL_SECONDS,
        }),
      };
    },
    admit(request, reply) {
      const { calls: callsOf } = request.routeOptions.config.wire ?? {};
      const expired = world.faults.take('wallet_tokenized', 'expired_token', callsOf?.(request) ?? []);
      const claims = readToken(keys, request.headers.authorization ?? '');
      const genuine =
        claims?.aud === AUDIENCE && claims.use === 'id' && request.headers['x-app-key'] === appKey;
      if (genuine && !expired && !isExpired(claims)) return true;
      void reply.code(401).send({ message: genuine ? 'The incoming token has expired' : 'Unauthorized' });
      return false;
    },
  };
}
