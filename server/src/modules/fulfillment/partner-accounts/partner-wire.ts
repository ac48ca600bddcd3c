import { Type } from 'typebox';
import type { Static } from 'typebox';

import { toWireAmount } from '../../../platform/money.ts';
import { partnerKinds } from '../partners/definitions.ts';
import type { PartnerRow } from './partner-store.ts';

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const timestamp = Type.String({ format: 'date-time' });
const amount = Type.Number({ minimum: 0, maximum: 999_999_999 });

export const partnerStatusSchema = Type.Union([
  Type.Literal('active'),
  Type.Literal('maintenance'),
  Type.Literal('disabled'),
]);
const settings = Type.Record(Type.String(), Type.Unknown());
const credentials = Type.Record(Type.String(), Type.String({ maxLength: 4_000 }), {
  description: 'Written, encrypted, never shown again',
});

export const partnerSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  kind: Type.String({ description: partnerKinds.join(', ') }),
  status: Type.String({ description: 'active, maintenance or disabled' }),
  maintenance_until: nullable(timestamp),
  config: settings,
  has_credentials: Type.Boolean(),
  balance: nullable(
    Type.Object({ amount: Type.Number(), currency: Type.String(), checked_at: nullable(timestamp) }),
  ),
  balance_threshold: nullable(
    Type.Number({ description: 'In the partner’s own currency; below it an alert opens' }),
  ),
  created_at: timestamp,
  updated_at: timestamp,
});
export type PartnerWire = Static<typeof partnerSchema>;

const named = Type.String({ minLength: 1, maxLength: 120 });
export const newPartnerBody = Type.Object({
  name: named,
  kind: Type.String({ description: partnerKinds.join(', ') }),
  config: settings,
  credentials: Type.Optional(credentials),
  status: Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('disabled')])),
  balance_threshold: Type.Optional(nullable(amount)),
});
export const partnerBody = Type.Object({
  name: Type.Optional(named),
  config: Type.Optional(settings),
  balance_threshold: Type.Optional(nullable(amount)),
});
export const credentialsBody = Type.Object({ credentials });
export const statusBody = Type.Object({
  status: partnerStatusSchema,
  maintenance_until: Type.Optional(nullable(timestamp)),
});

export const testAnswer = Type.Object({
  reachable: Type.Boolean({ description: 'It answered, and took our credentials' }),
  message: Type.String(),
  took_ms: Type.Integer(),
});
export const balanceAnswer = Type.Object({
  amount: nullable(Type.Number()),
  currency: nullable(Type.String()),
  checked_at: nullable(timestamp),
  threshold: nullable(Type.Number()),
  is_low: Type.Boolean(),
  problem: nullable(
    Type.String({ description: 'Why the partner could not be asked; the amount is the last known' }),
  ),
});
export const healthAnswer = Type.Object({
  status: Type.String(),
  breaker: Type.String({ description: 'closed, half_open or open, in the process that answers' }),
  window_hours: Type.Integer(),
  calls: Type.Integer(),
  unanswered_calls: Type.Integer({ description: 'No answer, 5xx or 429' }),
  success_rate: nullable(Type.Number({ description: 'Answered calls of all, 0 to 1' })),
  latency_p50_ms: nullable(Type.Integer()),
  latency_p95_ms: nullable(Type.Integer()),
  delivered: Type.Integer(),
  refused: Type.Integer(),
  unclear: Type.Integer({ description: 'Purchases whose result nobody knows at this moment' }),
  oldest_unclear_at: nullable(timestamp),
});

export function toPartnerWire(row: PartnerRow): PartnerWire {
  const { balance_minor: balance, balance_currency: currency, balance_threshold_minor: threshold } = row;
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    status: row.status,
    maintenance_until: row.maintenance_until?.toISOString() ?? null,
    config: row.config,
    has_credentials: row.credentials_sealed !== null,
    balance:
      balance === null || currency === null
        ? null
        : {
            amount: toWireAmount(balance),
            currency,
            checked_at: row.balance_checked_at?.toISOString() ?? null,
          },
    balance_threshold: threshold === null ? null : toWireAmount(threshold),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
