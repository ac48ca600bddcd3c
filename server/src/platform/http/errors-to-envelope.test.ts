import { describe, expect, it } from 'vitest';

import { toAppError } from './errors-to-envelope.ts';

const thrown = (code: string): Error => Object.assign(new Error('as the library says it'), { code });

describe('toAppError', () => {
  it.each([
    ['55P03', 503, 'SERVICE_UNAVAILABLE', 2],
    ['57P01', 503, 'SERVICE_UNAVAILABLE', 2],
    ['ECONNREFUSED', 503, 'SERVICE_UNAVAILABLE', 2],
    ['22021', 400, 'BAD_REQUEST', undefined],
    ['22P05', 400, 'BAD_REQUEST', undefined],
    ['23505', 500, 'INTERNAL_ERROR', undefined],
    ['FST_REQ_FILE_TOO_LARGE', 413, 'PAYLOAD_TOO_LARGE', undefined],
    ['FST_INVALID_MULTIPART_CONTENT_TYPE', 415, 'UNSUPPORTED_MEDIA_TYPE', undefined],
  ])('makes of %s a %i that keeps the words of the library to itself', (code, status, errorCode, retry) => {
    const known = toAppError(thrown(code));
    expect([known.status, known.code, known.retryAfterSeconds]).toEqual([status, errorCode, retry]);
    expect(known.message).not.toContain('library');
  });
});
