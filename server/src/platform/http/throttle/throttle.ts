import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { AppError } from '../../errors.ts';
import type { RequestLimit } from '../endpoint.ts';
import { limitAddress } from '../throttle-address.ts';
import type { ThrottleStore, WindowCount } from './throttle-store.ts';

export interface Limit {
  readonly name: string;
  readonly requests: number;
  readonly windowSeconds: number;
}

export interface Counted extends Limit {
  /** After scaling. */
  readonly requests: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly isOver: boolean;
}

/** Counts against limits; for the requests below, and for modules with limits of their own (unknown codes …). */
export interface RequestLimiter {
  /** Counts one for the subject: an address, a session, a neighbourhood. */
  take(limit: Limit, subject: string): Promise<Counted>;
  /** How it stands, counting nothing. */
  peek(limit: Limit, subject: string): Promise<Counted>;
}

export function createRequestLimiter(options: { store: ThrottleStore; scale: number }): RequestLimiter {
  const { store, scale } = options;
  const keyOf = (limit: Limit, subject: string): string => `${limit.name}:${subject}`;
  // `taken` is 1 when this request is in the count already: the last one allowed is not over.
  const counted = (limit: Limit, { count, resetSeconds }: WindowCount, taken: 0 | 1): Counted => {
    const requests = Math.max(1, Math.ceil(limit.requests * scale));
    const left = requests - count;
    return {
      ...limit,
      requests,
      remaining: Math.max(0, left),
      resetSeconds: Math.max(1, resetSeconds),
      isOver: left + taken <= 0,
    };
  };
  return {
    take: async (limit, subject) =>
      counted(limit, await store.take(keyOf(limit, subject), limit.windowSeconds), 1),
    peek: async (limit, subject) => counted(limit, await store.peek(keyOf(limit, subject)), 0),
  };
}

export const tooManyRequests = (retryAfterSeconds: number): AppError =>
  new AppError('TOO_MANY_REQUESTS', `Too many requests: wait ${retryAfterSeconds} seconds`, {
    retryAfterSeconds,
  });

export interface ThrottleOptions {
  readonly limiter: RequestLimiter;
  /** For requests that nobody is signed in for. */
  readonly perAddress: Limit;
  /** For those with a good token, wherever they come from: a whole office or operator may share one address. */
  readonly perCaller: Limit;
  /** Patterns of routes that are never throttled: health. */
  readonly exempt: readonly string[];
}

/**
 * Throttles everything but the exempt routes and the callbacks of gateways, which must get through whatever happens.
 * Call it before any route is added.
 *
 * A request counts for its caller when a guard has accepted the token, else for its address: a made-up header gets
 * nobody a fresh count. Requests whose token is refused never reach the guard's far side, so they are counted by
 * their 401, and refused once there are too many of them.
 */
export function throttleRequests(app: FastifyInstance, options: ThrottleOptions): void {
  const { limiter, perAddress, perCaller } = options;
  const refusedTokens: Limit = { ...perAddress, name: 'refused-tokens' };

  app.addHook('onRequest', async (request) => {
    if (request.headers.authorization === undefined || isExempt(request, options.exempt)) return;
    const standing = await limiter.peek(refusedTokens, limitAddress(request.ip));
    if (standing.isOver) throw tooManyRequests(standing.resetSeconds);
  });

  // The first hook after the guards of all routes.
  app.addHook('preParsing', async (request, reply) => {
    if (isExempt(request, options.exempt)) return;
    const { caller } = request;
    const general = caller
      ? limiter.take(perCaller, caller.sessionId)
      : limiter.take(perAddress, addressOf(request));
    const own = (request.routeOptions.config.limits ?? []).map((limit) =>
      limiter.take(limit, subjectOf(limit, request)),
    );
    const counts = await Promise.all([general, ...own]);
    writeHeaders(reply, counts);
    const over = counts.filter((count) => count.isOver);
    if (over.length > 0) throw tooManyRequests(Math.max(...over.map((count) => count.resetSeconds)));
  });

  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode !== 401 || request.headers.authorization === undefined) return;
    await limiter.take(refusedTokens, addressOf(request));
  });
}

function isExempt(request: FastifyRequest, exempt: readonly string[]): boolean {
  const { url, config } = request.routeOptions;
  return config.access === 'callback' || (url !== undefined && exempt.includes(url));
}

const addressOf = (request: FastifyRequest): string => limitAddress(request.ip);

function subjectOf(limit: RequestLimit, request: FastifyRequest): string {
  const { caller } = request;
  if (limit.per === 'address' || !caller) return addressOf(request);
  return caller.kind === 'client' ? `user:${caller.userId}` : `admin:${caller.adminId}`;
}

/** The fields of the IETF draft "RateLimit header fields for HTTP", one entry for each limit that counted. */
function writeHeaders(reply: FastifyReply, counts: readonly Counted[]): void {
  const policy = counts.map(
    ({ name, requests, windowSeconds }) => `"${name}";q=${requests};w=${windowSeconds}`,
  );
  const standing = counts.map(
    ({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`,
  );
  reply.header('ratelimit-policy', policy.join(', ')).header('ratelimit', standing.join(', '));
}
