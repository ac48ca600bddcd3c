import type { FastifyInstance } from 'fastify';

import { AppError } from '../errors.ts';

/** No body of ours is nested deeper; what is deeper is made to hurt code that walks it recursively. */
export const MAX_BODY_DEPTH = 20;

/** Refuses bodies nested deeper than 20 levels with 400, before anything else looks at them. */
export function limitBodyDepth(app: FastifyInstance): void {
  app.addHook('preValidation', async (request) => {
    if (isDeeperThan(request.body, MAX_BODY_DEPTH)) {
      throw new AppError('BAD_REQUEST', `The body is nested more than ${MAX_BODY_DEPTH} levels deep`);
    }
  });
}

/** Whether objects and lists stand more than `depth` deep in each other. Level by level, without recursion. */
export function isDeeperThan(value: unknown, depth: number): boolean {
  let level = [value].filter(isNest);
  for (let at = 1; level.length > 0; at += 1) {
    if (at > depth) return true;
    level = level.flatMap((nest) => Object.values(nest).filter(isNest));
  }
  return false;
}

const isNest = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Buffer.isBuffer(value);
