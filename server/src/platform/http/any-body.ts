import formbody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';

import { AppError } from '../errors.ts';

const LIMITS = { files: 0, fields: 100, fieldSize: 64 * 1024, parts: 100 };

/**
 * Lets a scope take whatever is sent to it: forms of both kinds, JSON under any content type, and what is none of
 * them as `{body: <text>}`. For addresses that strangers call and where even garbage is to be kept.
 */
export function acceptAnyBody(scope: FastifyInstance): void {
  // Those of the server are strict.
  scope.removeAllContentTypeParsers();
  scope.register(formbody);
  scope.register(multipart, { attachFieldsToBody: 'keyValues', limits: LIMITS });
  const parse = (
    _request: unknown,
    body: string | Buffer,
    done: (error: null, value: unknown) => void,
  ): void => {
    done(null, readLeniently(String(body)));
  };
  for (const type of ['application/json', 'text/plain', '*']) {
    scope.addContentTypeParser(type, { parseAs: 'string' }, parse);
  }
  // The library says of a form that ends too early that it is our fault. The handler of the server goes on from here.
  scope.setErrorHandler((error, request) => {
    const isTheirs = request.isMultipart() && !(error instanceof AppError) && request.body === undefined;
    throw isTheirs
      ? new AppError('BAD_REQUEST', 'The form data is cut or malformed', { cause: error })
      : error;
  });
}

function readLeniently(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : { body };
  } catch {
    return { body };
  }
}
