import { Type } from 'typebox';
import type { Static } from 'typebox';

import type { SecretBox } from '../../../platform/secret-box.ts';
import { redemptionCodeStates } from '../redemption-code-states.ts';
import { maskVoucherCode, redemptionContexts } from '../redemption-secrets.ts';
import type { CodeRow } from './code-store.ts';
import type { Entry, Generated } from './generate-codes.ts';
import type { GenerationRow } from './generation-store.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const timestamp = Type.String({ format: 'date-time' });

export const codeStatusSchema = Type.Enum([...redemptionCodeStates.states]);

export const codeSchema = Type.Object({
  id: Type.Integer(),
  campaign_id: Type.Integer(),
  generation_id: Type.Union([Type.Integer(), Type.Null()]),
  code: Type.String({ description: 'The token on paper' }),
  actual_voucher_code: Type.Union([Type.String(), Type.Null()], {
    description: 'Masked; the export has it in full',
  }),
  instructions: nullableText,
  status: codeStatusSchema,
  redeemed_at: Type.Union([timestamp, Type.Null()]),
  redeemed_from: Type.Union([Type.String(), Type.Null()], { description: 'Address, or /64 of an IPv6 one' }),
  created_at: timestamp,
});

const LARGEST_GENERATION = 50_000;
const voucherCode = Type.String({ minLength: 1, maxLength: 500, pattern: '^\\P{Cc}*\\S\\P{Cc}*$' });
const instructions = Type.Union([Type.String({ maxLength: 5_000 }), Type.Null()]);
const entry = Type.Object({ actual_voucher_code: voucherCode, instructions: Type.Optional(instructions) });
const entries = Type.Array(entry, { minItems: 1, maxItems: LARGEST_GENERATION });

export const generateBodySchema = Type.Object({
  entries: Type.Optional(entries),
  count: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LARGEST_GENERATION, description: 'Instead of `entries`' }),
  ),
  code_length: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 32, description: 'The campaign’s own, 9, when left out' }),
  ),
});

export const generatedSchema = Type.Object({
  generation_id: Type.Integer(),
  created: Type.Integer(),
  status: Type.String({ description: '`unused` with entries, `pending_stock` without' }),
  code_length: Type.Integer(),
  codes: Type.Array(Type.Object({ id: Type.Integer(), code: Type.String() }), {
    description: 'In the order of the entries',
  }),
});

export const generationSchema = Type.Object({
  id: Type.Integer(),
  state: Type.String({ description: 'running, done, failed or interrupted; only `done` has stored codes' }),
  requested: Type.Integer(),
  created: Type.Integer(),
  created_at: timestamp,
  updated_at: timestamp,
});

export const fillBodySchema = Type.Object({
  entries: Type.Optional(entries),
  csv: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'A file’s text; its first line names actual_voucher_code and perhaps instructions',
    }),
  ),
  from_vault: Type.Optional(
    Type.Object(
      {
        count: Type.Integer({ minimum: 1, maximum: LARGEST_GENERATION }),
        variant_id: Type.Optional(Type.Integer({ minimum: 1, description: 'The campaign’s when left out' })),
      },
      { description: 'Takes codes out of the shop’s stock; needs vouchers:write as well' },
    ),
  ),
});

export const filledSchema = Type.Object({
  filled: Type.Integer(),
  pending_stock: Type.Integer({ description: 'How many tokens still wait' }),
});

export const changeBodySchema = Type.Object({
  actual_voucher_code: Type.Optional(voucherCode),
  instructions: Type.Optional(instructions),
  status: Type.Optional(codeStatusSchema),
});

export const voidBodySchema = Type.Object({
  ids: Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: 50_000 }),
});
export const voidedSchema = Type.Object({
  voided: Type.Integer(),
  skipped: Type.Array(Type.Integer(), { description: 'Not of this campaign, or past voiding' }),
});

export function toCode(box: SecretBox, row: CodeRow): Static<typeof codeSchema> {
  const sealed = row.voucher_code_sealed;
  return {
    id: row.id,
    campaign_id: row.campaign_id,
    generation_id: row.generation_id,
    code: box.open(row.token_sealed, redemptionContexts.token),
    actual_voucher_code: sealed ? maskVoucherCode(box.open(sealed, redemptionContexts.voucherCode)) : null,
    instructions: row.instructions,
    status: row.status,
    redeemed_at: row.redeemed_at?.toISOString() ?? null,
    redeemed_from: row.redeemed_ip_key,
    created_at: row.created_at.toISOString(),
  };
}

export function toEntries(given: Static<typeof entries>): Entry[] {
  return given.map((each) => ({
    voucherCode: each.actual_voucher_code.trim(),
    instructions: each.instructions?.trim() || null,
  }));
}

export function toGenerated(
  generated: Generated,
  status: 'unused' | 'pending_stock',
): Static<typeof generatedSchema> {
  return {
    generation_id: generated.generationId,
    created: generated.codes.length,
    status,
    code_length: generated.codeLength,
    codes: generated.codes.map(({ id, token }) => ({ id, code: token })),
  };
}

export function toGeneration(row: GenerationRow): Static<typeof generationSchema> {
  const { id, state, requested, created } = row;
  return {
    id,
    state,
    requested,
    created,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
