import { Type } from 'typebox';
import type { Static } from 'typebox';

import type { TokenPair } from '../tokens/open-session.ts';
import type { UserRow } from './user-store.ts';

/** A person's name: something visible, on one line. */
export const nameSchema = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\p{Cc}]*[^\\s\\p{Cc}][^\\p{Cc}]*$',
});
export const emailSchema = Type.String({ format: 'email', maxLength: 254 });

/** Interface part 2, User. */
export const userSchema = Type.Object({
  id: Type.Integer(),
  msisdn: Type.String({ description: 'E.164' }),
  name: Type.String(),
  email: Type.Union([Type.String(), Type.Null()]),
});

export const signedInSchema = Type.Object({
  accessToken: Type.String({ description: 'Bearer token, short-lived' }),
  refreshToken: Type.String({ description: '30 days' }),
  user: userSchema,
});

export const profileSchema = Type.Object({
  ...userSchema.properties,
  email_verified: Type.Boolean(),
  language: Type.Enum(['en', 'bn']),
  created_at: Type.String({ format: 'date-time' }),
});

export function userToWire(user: UserRow): Static<typeof userSchema> {
  return { id: user.id, msisdn: user.msisdn ?? '', name: user.name, email: user.email };
}

export function signedInToWire(user: UserRow, tokens: TokenPair): Static<typeof signedInSchema> {
  return { ...tokens, user: userToWire(user) };
}

export function profileToWire(user: UserRow): Static<typeof profileSchema> {
  return {
    ...userToWire(user),
    email_verified: user.email_verified_at !== null,
    language: user.language,
    created_at: user.created_at.toISOString(),
  };
}
