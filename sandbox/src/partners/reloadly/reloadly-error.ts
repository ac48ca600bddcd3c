import type { FastifyReply, FastifyRequest } from 'fastify';

export interface ReloadlyFailure {
  status: number;
  message: string;
  /** Null where the vendor says it in the message only. */
  errorCode: string | null;
}

export function failure(errorCode: string | null, message: string, status = 400): ReloadlyFailure {
  return { status, message, errorCode };
}

export function isFailure(value: object): value is ReloadlyFailure {
  return 'errorCode' in value && 'status' in value && typeof value.status === 'number';
}

/** Answers with the vendor's error envelope. */
export function sendFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, message, errorCode }: ReloadlyFailure,
) {
  const path = request.url.split('?', 1)[0];
  return reply
    .code(status)
    .send({ timeStamp: timeStamp(), message, path, errorCode, infoLink: null, details: [] });
}

/** The framework's own 404, another shape. */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply) {
  const path = request.url.split('?', 1)[0];
  return reply
    .code(404)
    .send({ timeStamp: timeStamp(), status: 404, error: 'Not Found', message: 'Not Found', path });
}

function timeStamp(): string {
  return new Date().toISOString();
}

/** "2026-11-21 08:03:09", in UTC. */
export function reloadlyDateTime(at = new Date()): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}
