import { createHash } from 'node:crypto';

import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * An answer that depends on nothing but its parameters, on what `variesBy` names and on one moment of what is in
 * memory: it is made once and kept serialised, with a strong `ETag`, as long as the moment is the same object.
 */
export interface KeptAnswers {
  /** What answers are made from. Another object means that something has changed. */
  readonly moment: () => Promise<object>;
  /** What decides besides the parameters: the language. */
  readonly variesBy: (request: FastifyRequest) => string;
  /** The request headers that `variesBy` looks at. */
  readonly vary: string;
}

interface Kept {
  readonly entityTag: string;
  /** As bytes: text would be encoded anew for every answer. */
  readonly body: Buffer;
}

interface Memory {
  readonly answers: Map<string, Kept>;
  bytes: number;
}

/** Free text in a query makes endless answers: beyond this all of them are forgotten and made again on demand. */
const MOST_BYTES = 16 * 1024 * 1024;

// Forgotten with the moment they belong to.
const memories = new WeakMap<object, Memory>();

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Sends the kept answer, or 304 when the caller has it already; `makeEnvelope` runs only when there is none yet. */
export async function sendKept(
  kept: KeptAnswers,
  { request, reply }: Exchange,
  makeEnvelope: () => Promise<unknown>,
): Promise<FastifyReply> {
  const memory = memoryOf(await kept.moment());
  const key = keyOf(request, kept);
  let answer = memory.answers.get(key);
  if (!answer) {
    // With the route's own serialiser: a field that is not declared does not leave.
    const body = Buffer.from(reply.serialize(await makeEnvelope()) as string);
    answer = { body, entityTag: entityTagOf(body) };
    remember(memory, key, answer);
  }
  reply.header('etag', answer.entityTag).header('vary', withVary(reply, kept.vary));
  if (isSameEntity(request.headers['if-none-match'], answer.entityTag)) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(answer.body);
}

/** A strong entity tag: it differs when a single byte does (RFC 9110, 8.8.3). */
export function entityTagOf(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
}

/** Whether an `If-None-Match` or `If-Match` names this entity. */
export function isSameEntity(header: string | undefined, entityTag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((each) => each.trim().replace(/^W\//, '') === entityTag);
}

function memoryOf(moment: object): Memory {
  const known = memories.get(moment);
  if (known) return known;
  const memory: Memory = { answers: new Map(), bytes: 0 };
  memories.set(moment, memory);
  return memory;
}

function remember(memory: Memory, key: string, answer: Kept): void {
  memory.bytes += key.length + answer.body.length;
  if (memory.bytes > MOST_BYTES) {
    memory.answers.clear();
    memory.bytes = key.length + answer.body.length;
  }
  memory.answers.set(key, answer);
}

/** As validated: unknown parameters are gone and defaults are filled in, so that one question has one key. */
function keyOf(request: FastifyRequest, { variesBy }: KeptAnswers): string {
  const { params, query } = request;
  return [request.routeOptions.url, JSON.stringify(params), JSON.stringify(query), variesBy(request)].join(
    '\n',
  );
}

function withVary(reply: FastifyReply, names: string): string {
  const before = reply.getHeader('vary');
  return before === undefined ? names : `${String(before)}, ${names}`;
}
