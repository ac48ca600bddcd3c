import { Type } from 'typebox';
import type { Static } from 'typebox';

import { customerOrderSchema, customerPaymentSchema } from '../customer-records-wire.ts';
import { sessionSchema } from '../tokens/session-wire.ts';
import type { PersonRow } from './people-store.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const nullableMoment = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

export const personSchema = Type.Object({
  id: Type.Integer(),
  msisdn: nullableText,
  name: Type.String(),
  email: nullableText,
  email_verified: Type.Boolean(),
  status: Type.Enum(['active', 'blocked', 'closed']),
  status_reason: nullableText,
  language: Type.Enum(['en', 'bn']),
  marketing_consent: Type.Boolean(),
  last_seen_at: nullableMoment,
  created_at: Type.String({ format: 'date-time' }),
});

export const personDetailSchema = Type.Object({
  ...personSchema.properties,
  orders: Type.Array(customerOrderSchema, { description: 'The newest 50' }),
  payments: Type.Array(customerPaymentSchema, { description: 'The newest 50' }),
  sessions: Type.Array(sessionSchema),
});

export function personToWire(row: PersonRow): Static<typeof personSchema> {
  return {
    id: row.id,
    msisdn: row.msisdn,
    name: row.name,
    email: row.email,
    email_verified: row.email_verified_at !== null,
    status: row.status,
    status_reason: row.status_reason,
    language: row.language,
    marketing_consent: row.marketing,
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
