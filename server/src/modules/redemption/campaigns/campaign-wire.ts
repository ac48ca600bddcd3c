import { Type } from 'typebox';
import type { Static, TSchema } from 'typebox';

import type { RedemptionCodeStatus } from '../redemption-code-states.ts';
import { conversionRate } from './campaign-rules.ts';
import type { CampaignFields, CampaignRow } from './campaign-store.ts';

const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
const nullableText = nullable(Type.String());
const nullableTime = nullable(Type.String({ format: 'date-time' }));

export const campaignStatusSchema = Type.Union([
  Type.Literal('active'),
  Type.Literal('paused'),
  Type.Literal('expired'),
]);

/** Interface part 2. */
export const campaignSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String(),
  headline: nullableText,
  cta_text: nullableText,
  description: nullableText,
  instruction_template: nullableText,
  code_length: Type.Integer(),
  max_per_ip: nullable(Type.Integer({ description: 'Null: no limit' })),
  starts_at: nullableTime,
  ends_at: nullableTime,
  status: campaignStatusSchema,
  variant_id: nullable(Type.Integer()),
  require_email: Type.Boolean({ description: 'Ignored' }),
  require_phone: Type.Boolean({ description: 'Ignored' }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
});

export const campaignDetailSchema = Type.Object({
  ...campaignSchema.properties,
  code_count: Type.Integer(),
});

// A line break in a name would tear the subject of the e-mail that carries it.
const oneLine = (longest: number) => Type.String({ minLength: 1, maxLength: longest, pattern: '^\\P{Cc}+$' });
const text = (longest: number) => nullable(Type.String({ maxLength: longest }));

const writable = {
  name: oneLine(200),
  slug: Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$' }),
  headline: text(300),
  cta_text: text(100),
  description: text(5_000),
  instruction_template: nullable(
    Type.String({ maxLength: 5_000, description: 'For codes without instructions of their own' }),
  ),
  code_length: Type.Integer({ minimum: 1, maximum: 32, description: 'Of tokens to be generated; 9' }),
  max_per_ip: nullable(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Null: no limit' })),
  starts_at: nullableTime,
  ends_at: nullableTime,
  status: campaignStatusSchema,
  variant_id: nullable(Type.Integer({ minimum: 1, description: 'For analytics, and to show what it gives' })),
  require_email: Type.Boolean({ description: 'Ignored' }),
  require_phone: Type.Boolean({ description: 'Ignored' }),
};

/** Every field may be left out and then stays. */
export const campaignChangesSchema = Type.Partial(Type.Object(writable));
export const newCampaignSchema = Type.Interface(
  [Type.Partial(Type.Omit(Type.Object(writable), ['name', 'slug']))],
  {
    name: writable.name,
    slug: writable.slug,
  },
);

/** Interface part 4; `expired` besides (decisions 7.6). */
export const statsSchema = Type.Object({
  totals: Type.Object({
    unused: Type.Integer(),
    pending_stock: Type.Integer(),
    redeemed: Type.Integer(),
    voided: Type.Integer(),
    expired: Type.Integer(),
  }),
  total: Type.Integer(),
  conversion_rate: Type.Number({ description: 'Redeemed of all, 0 to 1, four decimals' }),
});

export function toCampaign(row: CampaignRow): Static<typeof campaignSchema> {
  const { is_over: isOver, starts_at, ends_at, created_at, updated_at, ...fields } = row;
  return {
    ...fields,
    status: isOver ? 'expired' : row.status,
    starts_at: starts_at?.toISOString() ?? null,
    ends_at: ends_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

const defaults: Omit<CampaignFields, 'name' | 'slug'> = {
  headline: null,
  cta_text: null,
  description: null,
  instruction_template: null,
  code_length: 9,
  max_per_ip: null,
  starts_at: null,
  ends_at: null,
  status: 'active',
  variant_id: null,
  require_email: false,
  require_phone: true,
};

export function toNewFields(body: Static<typeof newCampaignSchema>): CampaignFields {
  return { ...defaults, name: body.name, slug: body.slug, ...toChanges(body) };
}

export function toChanges(body: Static<typeof campaignChangesSchema>): Partial<CampaignFields> {
  const { starts_at: startsAt, ends_at: endsAt, ...fields } = body;
  return {
    ...fields,
    ...(startsAt === undefined ? {} : { starts_at: toDate(startsAt) }),
    ...(endsAt === undefined ? {} : { ends_at: toDate(endsAt) }),
  };
}

const toDate = (time: string | null): Date | null => (time === null ? null : new Date(time));

export function toStats(counts: Readonly<Record<RedemptionCodeStatus, number>>): Static<typeof statsSchema> {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { totals: { ...counts }, total, conversion_rate: conversionRate(counts.redeemed, total) };
}
