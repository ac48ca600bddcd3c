import { Agent, errors, request } from 'undici';

import { isInTransaction } from '../db/database.ts';
import { createPublicConnector, PrivateAddressError } from './address-guard.ts';
import type { Resolve } from './address-guard.ts';

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For the whole call, connecting included. */
  readonly timeoutMs: number;
}

export interface OutboundResponse {
  readonly status: number;
  readonly text: string;
  readonly contentType: string;
}

/** A call that got no answer. What the other side did is unknown unless `neverSent`. */
export class OutboundError extends Error {
  /** True when no connection was made: the other side cannot have acted. */
  readonly neverSent: boolean;

  constructor(message: string, options: { neverSent: boolean; cause: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'OutboundError';
    this.neverSent = options.neverSent;
  }
}

export interface OutboundClient {
  /** @throws OutboundError when there was no answer. Any HTTP status is an answer. */
  send(call: OutboundRequest): Promise<OutboundResponse>;
  close(): Promise<void>;
}

const MAX_ANSWER_BYTES = 256 * 1024;
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'PRIVATE_ADDRESS',
]);

const CONNECT_TIMEOUT_MS = 2_000;

export interface OutboundOptions {
  /** To one origin at a time. */
  readonly connections: number;
  /** For URLs that others choose: refuses every address that is not a public one. */
  readonly publicOnly?: boolean;
  /** Stands in for the system's name server. */
  readonly resolve?: Resolve;
}

/** The only way out: no redirects, bounded answers, never inside a transaction. */
export function createOutboundClient(options: OutboundOptions): OutboundClient {
  const { connections, publicOnly = false, resolve } = options;
  const agent = new Agent({
    connections,
    connect: publicOnly
      ? createPublicConnector({ timeoutMs: CONNECT_TIMEOUT_MS, ...(resolve ? { resolve } : {}) })
      : { timeout: CONNECT_TIMEOUT_MS },
    maxResponseSize: MAX_ANSWER_BYTES,
    pipelining: 1,
  });
  return {
    async send(call) {
      if (isInTransaction()) throw new Error('No network inside a transaction: a row lock would wait for it');
      try {
        const response = await request(call.url, {
          method: call.method,
          dispatcher: agent,
          headers: { ...call.headers },
          ...(call.body === undefined ? {} : { body: call.body }),
          signal: AbortSignal.timeout(call.timeoutMs),
        });
        const text = await response.body.text();
        const contentType = String(response.headers['content-type'] ?? '');
        return { status: response.statusCode, text, contentType };
      } catch (error) {
        throw translate(error, call);
      }
    },
    close: () => agent.close(),
  };
}

function translate(error: unknown, call: OutboundRequest): OutboundError {
  const host = new URL(call.url).host;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const neverSent = NEVER_SENT.has(code) || error instanceof errors.ConnectTimeoutError;
  if (error instanceof PrivateAddressError)
    return new OutboundError(`${host}: ${error.message}`, { neverSent, cause: error });
  const what =
    error instanceof Error && error.name === 'TimeoutError' ? `no answer in ${call.timeoutMs} ms` : code;
  return new OutboundError(`${host}: ${what || 'the connection broke'}`, { neverSent, cause: error });
}
