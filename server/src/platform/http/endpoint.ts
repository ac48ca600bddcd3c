import type { FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';

import type { ErrorCode } from '../errors.ts';
import type { KeptAnswers } from './kept-answers.ts';

/** A signed-in customer, as the access token proves it. */
export interface ClientCaller {
  readonly kind: 'client';
  readonly userId: number;
  readonly sessionId: string;
}

/** A signed-in operator with what the roles allow at this moment. */
export interface AdminCaller {
  readonly kind: 'admin';
  readonly adminId: number;
  readonly sessionId: string;
  readonly permissions: ReadonlySet<string>;
}

/**
 * Who may call. There is no default: an endpoint that does not say cannot be written, so none is open by accident.
 * `callback` is a payment gateway: no token, and never throttled by the general limit.
 */
export type Access =
  | 'anonymous'
  | 'callback'
  | 'client'
  | 'client_optional'
  | { readonly permission: string };

export type CallerOf<A extends Access> = A extends 'client'
  ? ClientCaller
  : A extends 'client_optional'
    ? ClientCaller | null
    : A extends { permission: string }
      ? AdminCaller
      : null;

/** A limit of one operation besides the general one; `per` says whose requests are counted together. */
export interface RequestLimit {
  /** Operations that name the same one share it. */
  readonly name: string;
  readonly per: 'address' | 'caller';
  readonly requests: number;
  readonly windowSeconds: number;
}

/** An answer that is more than its data: another message, status or `success: false` with status 200. */
export interface Answer<Data> {
  readonly answer: true;
  readonly data: Data;
  readonly message?: string;
  readonly success?: boolean;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function answer<Data>(data: Data, options: Omit<Answer<Data>, 'answer' | 'data'> = {}): Answer<Data> {
  return { answer: true, data, ...options };
}

export function isAnswer(result: unknown): result is Answer<unknown> {
  return typeof result === 'object' && result !== null && 'answer' in result && result.answer === true;
}

/** A body outside the envelope: a redirect, a page or an export (decisions part 1 lists the only ones). */
export interface RawAnswer {
  readonly raw: true;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | NodeJS.ReadableStream;
}

export function redirectTo(url: string): RawAnswer {
  return { raw: true, status: 303, headers: { location: url }, body: '' };
}

export interface Call<P, Q, B, A extends Access> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly caller: CallerOf<A>;
  readonly request: FastifyRequest;
}

type StaticOr<Schema, Otherwise> = Schema extends TSchema ? Static<Schema> : Otherwise;

/** What is said of an operation whatever its schemas are. */
interface EndpointFacts {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1` (client) or `/api/v1/admin` (admin). */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** 201 where a resource is created, 200 otherwise. */
  readonly status?: 200 | 201;
  /** What it can answer besides the codes every endpoint of its access can. */
  readonly errors?: readonly ErrorCode[];
  /** Honours the optional `Idempotency-Key` header (decisions 4.13). */
  readonly idempotent?: boolean;
  readonly bodyLimitBytes?: number;
  /** Besides the general limits; they scale with THROTTLE_SCALE as those do (decisions part 8). */
  readonly limits?: readonly RequestLimit[];
  /** Takes a file as `multipart/form-data`; the handler reads it from the request with `file()`. */
  readonly upload?: boolean;
  /** `Cache-Control` of a successful answer; `no-store` when left out. */
  readonly cacheControl?: string;
  /** Answers are kept serialised, with an `ETag`; only for reads that change nothing and are the same for all. */
  readonly kept?: KeptAnswers;
}

export interface EndpointDefinition<
  A extends Access,
  D extends TSchema,
  P extends TObject | undefined,
  Q extends TObject | undefined,
  B extends TSchema | undefined,
> extends EndpointFacts {
  readonly access: A;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly data: D;
  handle(
    call: Call<StaticOr<P, undefined>, StaticOr<Q, undefined>, StaticOr<B, undefined>, A>,
  ): Promise<Static<D> | Answer<Static<D>> | RawAnswer>;
}

/** An endpoint with its types folded away, ready to be mounted. */
export interface Endpoint extends EndpointFacts {
  readonly access: Access;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  readonly data: TSchema;
  handle(call: Call<unknown, unknown, unknown, Access>): Promise<unknown>;
}

/** Declares one operation: its address, who may call it, its schemas and its handler, typed from the schemas. */
export function endpoint<
  A extends Access,
  D extends TSchema,
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(definition: EndpointDefinition<A, D, P, Q, B>): Endpoint {
  // The schemas have been checked against the handler above; the mounted form no longer carries their types.
  return definition as unknown as Endpoint;
}
