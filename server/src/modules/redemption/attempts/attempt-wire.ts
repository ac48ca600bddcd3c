import { Type } from 'typebox';
import type { Static } from 'typebox';

import type { SecretBox } from '../../../platform/secret-box.ts';
import { ACTIONS, OUTCOMES } from '../redemption-outcomes.ts';
import { redemptionContexts } from '../redemption-secrets.ts';
import type { AttemptRow } from './attempt-store.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const nullableId = Type.Union([Type.Integer(), Type.Null()]);

export const actionSchema = Type.Enum([...ACTIONS]);
export const outcomeSchema = Type.Enum([...OUTCOMES]);

/** Decisions 7.4. */
export const attemptSchema = Type.Object({
  id: Type.Integer(),
  campaign_id: nullableId,
  redemption_code_id: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Null for an unknown code, and once the code was deleted',
  }),
  code: Type.Union([Type.String(), Type.Null()], { description: 'As asked for, without spaces and hyphens' }),
  action: actionSchema,
  outcome: outcomeSchema,
  ip: Type.String(),
  user_agent: nullableText,
  phone: nullableText,
  email: nullableText,
  created_at: Type.String({ format: 'date-time' }),
});

export function toAttempt(box: SecretBox, row: AttemptRow): Static<typeof attemptSchema> {
  const { token_sealed: sealed, created_at: createdAt, ...attempt } = row;
  return {
    ...attempt,
    code: sealed ? box.open(sealed, redemptionContexts.typedToken) : null,
    created_at: createdAt.toISOString(),
  };
}
