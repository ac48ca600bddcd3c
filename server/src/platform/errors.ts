/**
 * The closed catalogue of errors a caller can receive (interface part 7, decisions part 1).
 * `errorCode` strings are stable across releases: add one only with a decision record.
 */
export const errorCatalogue = {
  VALIDATION_ERROR: { status: 400, meaning: 'One or more fields are wrong; `errors[]` names each of them.' },
  BAD_REQUEST: { status: 400, meaning: 'The request cannot be done as asked; the message says why.' },
  UNAUTHORIZED: { status: 401, meaning: 'The token is missing, expired or invalid. Sign in again.' },
  FORBIDDEN: { status: 403, meaning: 'Signed in, but the role lacks the permission for this operation.' },
  NOT_FOUND: { status: 404, meaning: 'There is nothing with this id or at this address for you.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The address exists, the method does not; see `Allow`.' },
  CONFLICT: {
    status: 409,
    meaning: 'The state has changed or forbids it (stock, uniqueness, recovery guards).',
  },
  GONE: { status: 410, meaning: 'It existed and can no longer be used.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is over the limit of this operation.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'Send JSON (or the content type this operation names).' },
  UNPROCESSABLE: { status: 422, meaning: 'The idempotency key was used before with another body.' },
  TOO_MANY_REQUESTS: { status: 429, meaning: 'Slow down; `Retry-After` says how long to wait.' },
  INTERNAL_ERROR: {
    status: 500,
    meaning: 'Our fault. The request id in `X-Request-Id` finds it in the logs.',
  },
  BAD_GATEWAY: { status: 502, meaning: 'A payment gateway did not open a session; nothing was charged.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'Temporarily overloaded or starting; `Retry-After` says when to retry.',
  },
} as const;

export type ErrorCode = keyof typeof errorCatalogue;

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

export interface AppErrorOptions {
  /** Machine-readable detail, for example `{type: 'OutOfStockError', variant_id}`. Goes to the caller. */
  readonly data?: Record<string, unknown>;
  readonly fields?: readonly FieldProblem[];
  /** Seconds for `Retry-After` on 429 and 503. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
  /** Something was committed before it: asking again with the same idempotency key must not do it twice. */
  readonly hasEffect?: boolean;
}

/** Ends a request with an answer the caller can act on. Anything else that is thrown becomes INTERNAL_ERROR. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly data: Record<string, unknown> | null;
  readonly fields: readonly FieldProblem[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly hasEffect: boolean;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = errorCatalogue[code].status;
    this.data = options.data ?? null;
    this.fields = options.fields;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.hasEffect = options.hasEffect ?? false;
  }
}

/** A VALIDATION_ERROR about one field, in the shape schema validation produces. */
export function fieldError(field: string, message: string): AppError {
  return new AppError('VALIDATION_ERROR', message, { fields: [{ field, message }] });
}
