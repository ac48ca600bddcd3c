import { Type } from 'typebox';
import type { Static } from 'typebox';

import type { LiveSessionRow } from './session-store.ts';

export const tokenPairSchema = Type.Object({
  accessToken: Type.String({ description: 'Bearer token, short-lived' }),
  refreshToken: Type.String({
    description: 'The successor of the token sent. The old one works until this one has been used once.',
  }),
});

export const refreshBody = Type.Object({ refreshToken: Type.String({ minLength: 1, maxLength: 512 }) });

export const sessionSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  current: Type.Boolean({ description: 'The one that asks' }),
  device: Type.Union([Type.String(), Type.Null()], { description: 'As the browser or app called itself' }),
  ip: Type.Union([Type.String(), Type.Null()]),
  created_at: Type.String({ format: 'date-time' }),
  last_seen_at: Type.String({ format: 'date-time' }),
  expires_at: Type.String({ format: 'date-time' }),
});

export function sessionToWire(row: LiveSessionRow, currentSessionId?: string): Static<typeof sessionSchema> {
  return {
    id: row.id,
    current: row.id === currentSessionId,
    device: row.user_agent,
    ip: row.ip,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  };
}
