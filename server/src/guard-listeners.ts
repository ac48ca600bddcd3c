import type { FastifyInstance } from 'fastify';

import type { AppOptions } from './app-options.ts';
import { limitBodyDepth } from './platform/http/body-depth.ts';
import { secureAnswers } from './platform/http/security-headers.ts';
import { createRedisStore } from './platform/http/throttle/redis-store.ts';
import { createMemoryStore } from './platform/http/throttle/throttle-store.ts';
import { createRequestLimiter, throttleRequests } from './platform/http/throttle/throttle.ts';
import type { RequestLimiter } from './platform/http/throttle/throttle.ts';

export interface ListenerGuards {
  /** The counts that all listeners share, and, with REDIS_URL, all processes. */
  readonly limiter: RequestLimiter;
  /** The same counts for limits on guessing, which THROTTLE_SCALE leaves alone (decisions part 10). */
  readonly guessLimiter: RequestLimiter;
  /** Call it on a new listener, before anything is mounted. */
  guard(server: FastifyInstance): void;
  close(): Promise<void>;
}

/** Decisions part 8. Limits of single operations stand beside their endpoints. */
const PER_ADDRESS = { name: 'address', requests: 300, windowSeconds: 60 };
const PER_TOKEN = { name: 'token', requests: 600, windowSeconds: 60 };
const NEVER_THROTTLED = ['/healthz', '/readyz', '/metrics'];

export function createListenerGuards({ config, clock, log }: AppOptions): ListenerGuards {
  const { redisUrl } = config;
  const store = redisUrl ? createRedisStore({ url: redisUrl, clock, log }) : createMemoryStore(clock);
  const limiter = createRequestLimiter({ store, scale: config.throttleScale });
  const isHttps = config.publicUrl.startsWith('https:');
  return {
    limiter,
    guessLimiter: createRequestLimiter({ store, scale: 1 }),
    guard(server) {
      // Without TLS this is a demo: its checkout pages have none either.
      const formTargets = isHttps ? [] : ['http:'];
      secureAnswers(server, { corsOrigins: config.corsOrigins, isHttps, formTargets });
      throttleRequests(server, {
        limiter,
        perAddress: PER_ADDRESS,
        perCaller: PER_TOKEN,
        exempt: NEVER_THROTTLED,
      });
      limitBodyDepth(server);
    },
    close: () => store.close(),
  };
}
