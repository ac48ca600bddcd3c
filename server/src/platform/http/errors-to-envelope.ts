import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

import { sqlStateOf } from '../db/database.ts';
import { isUnreachableDatabase } from '../db/outage.ts';
import { AppError } from '../errors.ts';
import type { FieldProblem } from '../errors.ts';
import { errorEnvelope } from './envelope.ts';

/** The one place where anything thrown becomes an answer. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toAppError(error);
  if (known.status >= 500 && known.code === 'INTERNAL_ERROR')
    request.log.error({ err: error }, 'request failed');
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds));
  // A file that fails before its first byte has already said what it would be.
  reply.removeHeader('content-disposition').type('application/json; charset=utf-8');
  return reply.code(known.status).header('cache-control', 'no-store').send(errorEnvelope(known));
}

export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const cause = error as FastifyError;
  if (cause.validation) {
    const fields = cause.validation.map((problem) =>
      fieldProblem(problem, cause.validationContext ?? 'body'),
    );
    return new AppError('VALIDATION_ERROR', fields[0]?.message ?? 'The request is not valid', { fields });
  }
  switch (cause.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
    case 'FST_REQ_FILE_TOO_LARGE':
      return new AppError('PAYLOAD_TOO_LARGE', 'The body is larger than this operation takes');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json');
    case 'FST_INVALID_MULTIPART_CONTENT_TYPE':
      return new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the file as a part of multipart/form-data');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new AppError('NOT_FOUND', 'There is nothing at an address this long');
    default:
  }
  // What the framework itself refuses (malformed JSON, a bad URL, an empty body) is a client error with a status.
  if (typeof cause.statusCode === 'number' && cause.statusCode >= 400 && cause.statusCode < 500) {
    return new AppError('BAD_REQUEST', cause.message);
  }
  if (UNSTORABLE.has(sqlStateOf(error))) {
    return new AppError('BAD_REQUEST', 'The request holds a text or number that cannot be stored', {
      cause: error,
    });
  }
  if (sqlStateOf(error) === LOCK_TIMEOUT) {
    return new AppError('SERVICE_UNAVAILABLE', 'Somebody else is changing this; try again in a moment', {
      retryAfterSeconds: 2,
      cause: error,
    });
  }
  if (isUnreachableDatabase(error)) {
    return new AppError('SERVICE_UNAVAILABLE', 'The database does not answer; try again in a moment', {
      retryAfterSeconds: 2,
      cause: error,
    });
  }
  return new AppError('INTERNAL_ERROR', 'Something went wrong on our side; nothing is left half done', {
    cause: error,
  });
}

/** U+0000 in a text, half a surrogate pair in JSON, a number beyond its column, a text that is no date or address. */
const UNSTORABLE = new Set(['22021', '22P05', '22003', '22P02', '22007', '22008']);

/** A row stayed locked longer than anybody should wait: nothing was written, and the next try may find it free. */
const LOCK_TIMEOUT = '55P03';

type ValidationProblem = NonNullable<FastifyError['validation']>[number];

function fieldProblem(problem: ValidationProblem, context: string): FieldProblem {
  const missing = problem.params['missingProperty'];
  const path = problem.instancePath.split('/').slice(1);
  if (typeof missing === 'string') path.push(missing);
  const field = path.join('.') || context;
  return { field, message: `${field} ${wording(problem)}` };
}

function wording(problem: ValidationProblem): string {
  const { params } = problem;
  switch (problem.keyword) {
    case 'required':
      return 'is required';
    case 'minLength':
      return `must be at least ${String(params['limit'])} characters`;
    case 'maxLength':
      return `must be at most ${String(params['limit'])} characters`;
    case 'minItems':
      return `must have at least ${String(params['limit'])} entries`;
    case 'maxItems':
      return `must have at most ${String(params['limit'])} entries`;
    default:
      return problem.message ?? 'is not valid';
  }
}
