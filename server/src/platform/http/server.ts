import { randomUUID } from 'node:crypto';

import Fastify, { LogController } from 'fastify';
import type { FastifyInstance, HTTPMethods } from 'fastify';
import findMyWay from 'find-my-way';

import { AppError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { answerError } from './errors-to-envelope.ts';
import { compileOnUse } from './schemas/compilers.ts';

export interface HttpServerOptions {
  readonly log: Logger;
  /** CIDRs whose `X-Forwarded-For` is believed; nobody's when empty. */
  readonly trustProxy: readonly string[];
}

const BODY_LIMIT_BYTES = 1024 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;

/**
 * A bare server with the promises that hold for every address: envelope on all errors (unknown routes, 405, 413,
 * 415 and malformed JSON included), a request id on every answer, validation that never writes what it did not declare.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    trustProxy: options.trustProxy.length > 0 ? [...options.trustProxy] : false,
    bodyLimit: BODY_LIMIT_BYTES,
    // Nagad calls back at our address with a slash behind it.
    routerOptions: { ignoreTrailingSlash: true },
    requestTimeout: 15_000,
    forceCloseConnections: 'idle',
    // Addresses the router itself refuses (a broken escape, an endless parameter) never reach the error handler.
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    // The interface prints admin paths as /admin/...: the same handlers, one set of routes.
    rewriteUrl: (request) => {
      const url = request.url ?? '/';
      return url.startsWith('/admin/') ? `/api/v1${url}` : url;
    },
  }) as unknown as FastifyInstance;

  // Headers that trickle in hold a connection, nothing else: ten seconds are plenty.
  app.server.headersTimeout = HEADERS_TIMEOUT_MS;
  compileOnUse(app);
  allowNoBody(app);
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    // The pattern, never the address: addresses carry codes and callbacks carry secrets.
    const route = request.routeOptions.url ?? 'unknown';
    const facts = {
      route,
      method: request.method,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    if (reply.statusCode >= 500) request.log.error(facts, 'answered');
    else request.log.info(facts, 'answered');
  });
  app.setErrorHandler(answerError);
  answerUnknownRoutes(app);
  return app;
}

/** Many clients announce JSON with everything they send, a DELETE without a body too: that is no body, and no error. */
function allowNoBody(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, body, done);
  });
}

/** An address that exists under another method is 405 with `Allow`; anything else unknown is 404. */
function answerUnknownRoutes(app: FastifyInstance): void {
  const methods: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  const router = findMyWay({ ignoreTrailingSlash: true });
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) {
      if (method === 'HEAD' || method === 'OPTIONS') continue;
      if (!router.hasRoute(method as 'GET', route.url))
        router.on(method as 'GET', route.url, () => undefined);
    }
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '/';
    const allowed = methods.filter((method) => router.find(method as 'GET', path) !== null);
    if (allowed.length === 0 || allowed.includes(request.method)) {
      return answerError(
        new AppError('NOT_FOUND', `There is nothing at ${request.method} ${path}`),
        request,
        reply,
      );
    }
    reply.header('allow', allowed.join(', '));
    return answerError(
      new AppError('METHOD_NOT_ALLOWED', `${path} answers to ${allowed.join(', ')} only`),
      request,
      reply,
    );
  });
}
