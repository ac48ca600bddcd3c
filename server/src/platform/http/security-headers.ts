import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';

export interface SecurityOptions {
  /** Origins whose scripts may call us; none when empty, which leaves our own pages. */
  readonly corsOrigins: readonly string[];
  /** True behind TLS: browsers are told to stay there. */
  readonly isHttps: boolean;
  /** Where our pages' forms may lead to, besides https: the sandbox's checkout in a demo. */
  readonly formTargets: readonly string[];
}

const ONE_YEAR_SECONDS = 31_536_000;

/**
 * What browsers may do with our answers: run only our own scripts, never be framed, never guess types, never tell
 * others our addresses. Pages with needs of their own write a stricter or wider `content-security-policy` themselves.
 */
export function secureAnswers(app: FastifyInstance, options: SecurityOptions): void {
  let headers: Record<string, string> = {};
  app.addHook('onReady', async () => {
    headers = await readHeaders(options);
  });
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
  if (options.corsOrigins.length === 0) return;
  app.register(cors, {
    origin: [...options.corsOrigins],
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'idempotency-key', 'accept-language', 'if-none-match'],
    exposedHeaders: ['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy', 'etag'],
    // Tokens travel in a header, never in a cookie: nothing is sent along by itself.
    credentials: false,
    maxAge: 600,
  });
}

/**
 * Helmet's headers are the same for every answer, and it makes them anew for each: a sixth of the time of one that is kept
 * in memory. So it is asked once.
 */
async function readHeaders(options: SecurityOptions): Promise<Record<string, string>> {
  const probe = Fastify();
  probe.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        // Style attributes are how server-rendered pages stay one file; they run nothing.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'https:'],
        connectSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        // A pay button posts to us and is redirected to the gateway; browsers apply this to the redirect too.
        formAction: ["'self'", 'https:', ...options.formTargets],
      },
    },
    strictTransportSecurity: options.isHttps ? { maxAge: ONE_YEAR_SECONDS, includeSubDomains: false } : false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    // Gateways open our pages from theirs, and apps embed product images.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
  });
  probe.get('/', async () => '');
  const { headers } = await probe.inject('/');
  await probe.close();
  const own = Object.entries(headers).filter(([name]) => !OF_THE_PROBE.has(name));
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}

const OF_THE_PROBE = new Set(['content-type', 'content-length', 'date', 'connection']);
