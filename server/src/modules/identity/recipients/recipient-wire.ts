import { Type } from 'typebox';
import type { Static } from 'typebox';

import type { RecipientRow } from './recipient-store.ts';

export const recipientBody = Type.Object({
  label: Type.String({ minLength: 1, maxLength: 60, pattern: '\\S' }),
  type: Type.Enum(['email', 'player_id', 'account_id', 'uid'], {
    description: 'The identifier key of the product it is for',
  }),
  value: Type.String({ minLength: 1, maxLength: 254, pattern: '\\S' }),
});

export const recipientSchema = Type.Object({
  id: Type.Integer(),
  ...recipientBody.properties,
  created_at: Type.String({ format: 'date-time' }),
});

export function recipientToWire(row: RecipientRow): Static<typeof recipientSchema> {
  const { id, label, type, value } = row;
  return { id, label, type, value, created_at: row.created_at.toISOString() };
}
