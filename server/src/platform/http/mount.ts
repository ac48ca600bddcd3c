import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { AppError, errorCatalogue } from '../errors.ts';
import type { ErrorCode } from '../errors.ts';
import { acceptAnyBody } from './any-body.ts';
import { isAnswer } from './endpoint.ts';
import type {
  Access,
  AdminCaller,
  Answer,
  ClientCaller,
  Endpoint,
  RawAnswer,
  RequestLimit,
} from './endpoint.ts';
import { envelopeSchema, errorEnvelopeSchema } from './envelope.ts';
import type { Envelope } from './envelope.ts';
import type { IdempotencyStore } from './idempotency.ts';
import { answerOnce } from './idempotency.ts';
import { sendKept } from './kept-answers.ts';

/** Turns a bearer token into a caller, or throws UNAUTHORIZED. The identity module provides it. */
export interface Authenticator {
  client(token: string): Promise<ClientCaller>;
  admin(token: string): Promise<AdminCaller>;
}

export interface MountOptions {
  readonly authenticator: Authenticator;
  readonly idempotency: IdempotencyStore;
}

type Caller = ClientCaller | AdminCaller | null;

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    access?: Access;
    limits?: readonly RequestLimit[];
  }
}

/** Puts endpoints on a Fastify instance whose prefix is already set, with guard, schemas and envelope. */
export function mountEndpoints(
  app: FastifyInstance,
  endpoints: readonly Endpoint[],
  options: MountOptions,
): void {
  for (const endpoint of endpoints) {
    if (endpoint.access !== 'callback' && !endpoint.upload) mountEndpoint(app, endpoint, options);
  }
  // Gateways post forms of all kinds; everybody else who does gets a 415.
  app.register(async (scope) => {
    acceptAnyBody(scope);
    for (const endpoint of endpoints) {
      if (endpoint.access === 'callback') mountEndpoint(scope, endpoint, options);
    }
  });
  app.register(async (scope) => {
    scope.register(multipart, { limits: { files: 1, fields: 20, fieldSize: 64 * 1024, parts: 21 } });
    for (const endpoint of endpoints) {
      if (endpoint.upload) mountEndpoint(scope, endpoint, options);
    }
  });
}

function mountEndpoint(app: FastifyInstance, endpoint: Endpoint, options: MountOptions): void {
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    schema: schemaOf(endpoint),
    config: { access: endpoint.access, limits: endpoint.limits ?? [] },
    ...(endpoint.bodyLimitBytes ? { bodyLimit: endpoint.bodyLimitBytes } : {}),
    onRequest: async (request) => {
      request.caller = await identify(endpoint.access, request, options.authenticator);
    },
    handler: async (request, reply) => {
      reply.header('cache-control', endpoint.cacheControl ?? 'no-store');
      const work = (): Promise<unknown> => handle(endpoint, request);
      if (endpoint.kept) {
        return sendKept(endpoint.kept, { request, reply }, async () => envelopeOf(await work()));
      }
      const result = endpoint.idempotent
        ? await answerOnce(options.idempotency, request, work)
        : await work();
      return send(reply, endpoint, result);
    },
  });
}

function handle(endpoint: Endpoint, request: FastifyRequest): Promise<unknown> {
  const { params, query, body } = request;
  // The guard above made the caller that the endpoint's access promises.
  return endpoint.handle({ params, query, body, caller: request.caller, request });
}

function send(reply: FastifyReply, endpoint: Endpoint, result: unknown): FastifyReply {
  if (isRaw(result)) return reply.code(result.status).headers(result.headers).send(result.body);
  const status = isAnswer(result) ? result.status : undefined;
  if (isAnswer(result) && result.headers) reply.headers(result.headers);
  return reply.code(status ?? endpoint.status ?? 200).send(envelopeOf(result));
}

function envelopeOf(result: unknown): Envelope {
  const given: Answer<unknown> = isAnswer(result) ? result : { answer: true, data: result };
  return { success: given.success ?? true, message: given.message ?? 'OK', data: given.data };
}

function isRaw(result: unknown): result is RawAnswer {
  return typeof result === 'object' && result !== null && 'raw' in result && result.raw === true;
}

async function identify(
  access: Access,
  request: FastifyRequest,
  authenticator: Authenticator,
): Promise<Caller> {
  if (access === 'anonymous' || access === 'callback') return null;
  const token = bearerToken(request);
  if (access === 'client_optional') return token === undefined ? null : authenticator.client(token);
  if (token === undefined)
    throw new AppError('UNAUTHORIZED', 'Sign in first: this operation needs a bearer token');
  if (access === 'client') return authenticator.client(token);
  const caller = await authenticator.admin(token);
  if (!caller.permissions.has(access.permission)) {
    throw new AppError('FORBIDDEN', `Your roles lack the permission ${access.permission}`);
  }
  return caller;
}

function bearerToken(request: FastifyRequest): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined) return undefined;
  const [scheme, token, ...rest] = header.split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0) {
    throw new AppError('UNAUTHORIZED', 'The Authorization header must read: Bearer <ACCESS_TOKEN>');
  }
  return token;
}

function schemaOf(endpoint: Endpoint): Record<string, unknown> {
  const response: Record<string, unknown> = { [endpoint.status ?? 200]: envelopeSchema(endpoint.data) };
  for (const code of errorsOf(endpoint)) response[errorCatalogue[code].status] = errorEnvelopeSchema;
  return {
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    tags: [endpoint.tag],
    security: securityOf(endpoint.access),
    ...(endpoint.params ? { params: endpoint.params } : {}),
    ...(endpoint.query ? { querystring: endpoint.query } : {}),
    ...(endpoint.body ? { body: endpoint.body } : {}),
    response,
  };
}

/** Every code an endpoint can answer: its own, and those that follow from its access and its schemas. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>(endpoint.errors ?? []);
  codes.add('INTERNAL_ERROR').add('SERVICE_UNAVAILABLE');
  if (endpoint.access !== 'callback') codes.add('TOO_MANY_REQUESTS');
  if (endpoint.params || endpoint.query || endpoint.body) codes.add('VALIDATION_ERROR');
  if (endpoint.body) codes.add('BAD_REQUEST').add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  if (endpoint.access !== 'anonymous' && endpoint.access !== 'callback') codes.add('UNAUTHORIZED');
  if (typeof endpoint.access === 'object') codes.add('FORBIDDEN');
  if (endpoint.idempotent) codes.add('CONFLICT').add('UNPROCESSABLE');
  return [...codes];
}

function securityOf(access: Access): Record<string, string[]>[] {
  if (access === 'client') return [{ 'bearer-client': [] }];
  if (access === 'client_optional') return [{}, { 'bearer-client': [] }];
  if (typeof access === 'object') return [{ 'bearer-admin': [] }];
  return [];
}
