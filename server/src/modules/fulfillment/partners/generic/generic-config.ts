import { Type } from 'typebox';
import type { Static } from 'typebox';

const path = Type.String({ pattern: '^/', description: 'Below base_url; may hold {placeholders}' });
const field = Type.String({ minLength: 1, maxLength: 120, description: 'Dotted: codes.0.number' });
const codes = Type.Array(Type.Union([Type.String(), Type.Integer()]), { maxItems: 100 });
const strict = { additionalProperties: false } as const;

/**
 * A partner described by configuration: where its endpoints are, how it is told who we are, where in its answers the
 * fields stand and what its statuses mean. The README beside this file explains each by example.
 */
export const genericConfigSchema = Type.Object(
  {
    base_url: Type.String({ pattern: '^https?://[^?#]+$', description: 'Without a trailing slash' }),
    timeout_seconds: Type.Optional(Type.Number({ minimum: 0.05, maximum: 120 })),
    auth: Type.Union([
      Type.Object({ type: Type.Literal('header'), name: Type.String({ minLength: 1 }) }, strict),
      Type.Object({ type: Type.Literal('bearer') }, strict),
      Type.Object({ type: Type.Literal('basic') }, strict),
      Type.Object({ type: Type.Literal('query'), name: Type.String({ minLength: 1 }) }, strict),
    ]),
    purchase: Type.Object(
      {
        method: Type.Optional(Type.Union([Type.Literal('POST'), Type.Literal('PUT')])),
        path,
        format: Type.Optional(Type.Union([Type.Literal('json'), Type.Literal('form')])),
        body: Type.Record(Type.String(), Type.Unknown()),
      },
      strict,
    ),
    query: Type.Optional(Type.Object({ path }, strict)),
    balance: Type.Optional(
      Type.Object(
        { path, amount: field, currency: Type.Optional(field), in: Type.Optional(Type.String()) },
        strict,
      ),
    ),
    products: Type.Optional(
      Type.Object(
        { path, list: Type.Optional(field), product: field, name: field, price: Type.Optional(field) },
        strict,
      ),
    ),
    answer: Type.Object(
      {
        status: field,
        transaction_id: Type.Optional(field),
        reference: Type.Optional(field),
        codes: Type.Optional(field),
        code: Type.Optional(field),
        pin: Type.Optional(field),
        serial_number: Type.Optional(field),
        redemption_url: Type.Optional(field),
        expires_at: Type.Optional(field),
        error_code: Type.Optional(field),
        error_message: Type.Optional(field),
      },
      strict,
    ),
    statuses: Type.Record(
      Type.String(),
      Type.Union([Type.Literal('done'), Type.Literal('processing'), Type.Literal('refused')]),
    ),
    not_found: Type.Optional(codes),
    refusals: Type.Optional(codes),
    transient: Type.Optional(codes),
    is_repeatable: Type.Optional(Type.Boolean()),
    not_found_is_final_after_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 86_400 })),
  },
  strict,
);
export type GenericConfig = Static<typeof genericConfigSchema>;

/** `api_key`, or for `basic` a user name and a password. */
export const genericCredentialsSchema = Type.Object(
  {
    api_key: Type.Optional(Type.String({ minLength: 1 })),
    username: Type.Optional(Type.String({ minLength: 1 })),
    password: Type.Optional(Type.String({ minLength: 1 })),
  },
  strict,
);
export type GenericCredentials = Static<typeof genericCredentialsSchema>;

/** Anything the templates name as {options.…}. */
export const genericOptionsSchema = Type.Record(Type.String(), Type.Unknown());

/** What the configuration of a plain partner as many aggregators have it looks like; a start, to be changed. */
export const plainPartnerConfig = {
  auth: { type: 'header', name: 'api-key' },
  purchase: {
    path: '/purchases',
    body: {
      reference: '{reference}',
      sku: '{product}',
      quantity: 1,
      type: '{type}',
      unit_cost: '{cost}',
      recipient: '{input}',
    },
  },
  query: { path: '/purchases/{reference}' },
  balance: { path: '/balance', amount: 'balance', currency: 'currency' },
  answer: {
    status: 'status',
    transaction_id: 'transaction_id',
    reference: 'reference',
    codes: 'codes',
    code: 'code',
    pin: 'pin',
    serial_number: 'serial_number',
    redemption_url: 'redemption_url',
    expires_at: 'expires_at',
    error_code: 'error.code',
    error_message: 'error.message',
  },
  statuses: { SUCCESSFUL: 'done', PROCESSING: 'processing', FAILED: 'refused' },
  not_found: ['NOT_FOUND'],
  refusals: ['INVALID_REQUEST', 'UNAUTHORIZED', 'OUT_OF_STOCK'],
  transient: [429],
  is_repeatable: true,
} as const;
