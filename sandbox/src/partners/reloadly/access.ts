import type { FastifyReply, FastifyRequest } from 'fastify';
import { isExpired, readToken, signToken } from '../../signed-token.ts';
import type { World } from '../../world.ts';
import { failure, sendFailure } from './reloadly-error.ts';

/** The sandbox audiences; a token for one product does not open the other. */
export const AUDIENCES = {
  topups: 'https://topups-sandbox.reloadly.com',
  giftcards: 'https://giftcards-sandbox.reloadly.com',
} as const;

export type Product = keyof typeof AUDIENCES;

const TOKEN_TTL_SECONDS = 24 * 3_600;
const CLIENT_CREDENTIALS = 'client_credentials';

export interface Access {
  grant(request: FastifyRequest, reply: FastifyReply): unknown;
  /** Whether a call may go on; if not, it has been answered. */
  admit(request: FastifyRequest, reply: FastifyReply, products: readonly Product[]): boolean;
}

export function createAccess(world: World): Access {
  const { clientId, clientSecret } = world.credentials.reloadly;
  const keys = world.credentials.tokenKeys;

  return {
    grant(request, reply) {
      const body = (request.body ?? {}) as Record<string, unknown>;
      const isOurs = body['client_id'] === clientId && body['client_secret'] === clientSecret;
      if (!isOurs || body['grant_type'] !== CLIENT_CREDENTIALS) {
        return sendFailure(request, reply, failure('INVALID_CREDENTIALS', 'Access Denied', 401));
      }
      const audience = Object.values(AUDIENCES).find((known) => known === body['audience']);
      if (!audience) return sendFailure(request, reply, failure('INVALID_AUDIENCE', 'Access Denied', 401));
      return {
        access_token: signToken(keys, { aud: audience, use: 'access', ttlSeconds: TOKEN_TTL_SECONDS }),
        scope: 'send-topups read-operators read-topups-history read-prepaid-balance',
        expires_in: TOKEN_TTL_SECONDS,
        token_type: 'Bearer',
      };
    },

    admit(request, reply, products) {
      const calls = request.routeOptions.config.wire?.calls(request) ?? [];
      const [scheme, token = ''] = (request.headers.authorization ?? '').split(' ');
      const claims = readToken(keys, token);
      const genuine =
        scheme === 'Bearer' &&
        claims?.use === 'access' &&
        products.some((product) => claims.aud === AUDIENCES[product]);
      if (!genuine) {
        void sendFailure(request, reply, failure('INVALID_TOKEN', 'Access Denied', 401));
        return false;
      }
      if (isExpired(claims) || world.faults.take('partner', 'expired_token', calls)) {
        void sendFailure(request, reply, failure('TOKEN_EXPIRED', 'The access token has expired', 401));
        return false;
      }
      return true;
    },
  };
}
