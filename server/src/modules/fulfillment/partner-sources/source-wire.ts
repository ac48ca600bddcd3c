import { Type } from 'typebox';
import type { Static } from 'typebox';

import { toWireAmount } from '../../../platform/money.ts';
import type { SourceRow } from './source-store.ts';

const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const timestamp = Type.String({ format: 'date-time' });

export const requiredFieldSchema = Type.Object({
  name: Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }),
  label: Type.String({ minLength: 1, maxLength: 80 }),
  type: Type.String({ minLength: 1, maxLength: 20 }),
  required: Type.Boolean(),
});

const product = Type.String({ minLength: 1, maxLength: 120, description: 'What the partner calls it' });
const options = Type.Record(Type.String(), Type.Unknown(), {
  description: 'What its kind wants besides: reloadly-gift-cards {unit_price}, reloadly-airtime {amount, …}',
});
const cost = nullable(Type.Number({ minimum: 0, maximum: 999_999_999, description: 'BDT for one unit' }));
const priority = Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'The lowest is tried first' });
const requiredFields = Type.Array(requiredFieldSchema, { maxItems: 20 });

export const sourceSchema = Type.Object({
  id: Type.Integer(),
  variant_id: Type.Integer(),
  partner_id: Type.Integer(),
  partner_name: Type.String(),
  partner_product: Type.String(),
  options: Type.Record(Type.String(), Type.Unknown()),
  cost: nullable(Type.Number()),
  priority: Type.Integer(),
  is_active: Type.Boolean(),
  required_fields: Type.Array(requiredFieldSchema),
  created_at: timestamp,
  updated_at: timestamp,
});
export type SourceWire = Static<typeof sourceSchema>;

const changeable = {
  options: Type.Optional(options),
  cost: Type.Optional(cost),
  priority: Type.Optional(priority),
  is_active: Type.Optional(Type.Boolean()),
  required_fields: Type.Optional(requiredFields),
};
export const newSourceBody = Type.Object({
  variant_id: Type.Integer({ minimum: 1 }),
  partner_id: Type.Integer({ minimum: 1 }),
  partner_product: product,
  ...changeable,
});
export const sourceBody = Type.Object({ partner_product: Type.Optional(product), ...changeable });
export const prioritiesBody = Type.Object({
  items: Type.Array(Type.Object({ id: Type.Integer({ minimum: 1 }), priority }), {
    minItems: 1,
    maxItems: 50,
  }),
});

export function toSourceWire(row: SourceRow): SourceWire {
  return {
    id: row.id,
    variant_id: row.variant_id,
    partner_id: row.partner_id,
    partner_name: row.partner_name,
    partner_product: row.partner_product,
    options: row.options,
    cost: row.cost_minor === null ? null : toWireAmount(row.cost_minor),
    priority: row.priority,
    is_active: row.is_active,
    required_fields: [...row.required_fields],
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
