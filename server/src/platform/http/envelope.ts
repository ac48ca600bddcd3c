import { Type } from 'typebox';
import type { Static, TSchema } from 'typebox';

import type { AppError } from '../errors.ts';

/** What every answer looks like (interface part 1). `message` is for people and never parsed. */
export interface Envelope {
  readonly success: boolean;
  readonly message: string;
  readonly data: unknown;
}

export const errorEnvelopeSchema = Type.Object({
  success: Type.Literal(false),
  message: Type.String(),
  data: Type.Union([Type.Null(), Type.Record(Type.String(), Type.Unknown())]),
  errorCode: Type.String({ description: 'Stable across releases; see docs/generated/errors.md' }),
  errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))),
});
export type ErrorEnvelope = Static<typeof errorEnvelopeSchema>;

export function envelopeSchema(data: TSchema): TSchema {
  return Type.Object({ success: Type.Boolean(), message: Type.String(), data });
}

export function errorEnvelope(error: AppError): ErrorEnvelope {
  return {
    success: false,
    message: error.message,
    data: error.data,
    errorCode: error.code,
    ...(error.fields ? { errors: [...error.fields] } : {}),
  };
}

/** `data` of every list (decisions part 1). */
export function pageSchema<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item),
    pagination: Type.Object({
      page: Type.Integer(),
      limit: Type.Integer(),
      total: Type.Integer(),
      total_pages: Type.Integer(),
    }),
  });
}

/** Query parameters every list takes. */
export const pageQuery = {
  page: Type.Integer({ minimum: 1, default: 1, maximum: 1_000_000 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
};

export interface Page<Item> {
  readonly items: Item[];
  readonly pagination: { page: number; limit: number; total: number; total_pages: number };
}

export function pageOf<Item>(items: Item[], at: { page: number; limit: number; total: number }): Page<Item> {
  const { page, limit, total } = at;
  return { items, pagination: { page, limit, total, total_pages: Math.ceil(total / limit) } };
}
