import { Type } from 'typebox';
import type { Static } from 'typebox';

import type { VisitedCampaignRow } from './redeem-store.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);

const productSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String(),
  image_url: nullableText,
  variant: Type.Object({ id: Type.Integer(), name: Type.String() }),
});

export const visitedCampaignSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String(),
  headline: nullableText,
  cta_text: nullableText,
  description: nullableText,
  product: Type.Union([productSchema, Type.Null()], {
    description: 'What the campaign gives, when it says so',
  }),
});

export const lookupSchema = Type.Object({
  status: Type.Union([Type.Literal('available'), Type.Literal('redeemed')], {
    description: '`redeemed`: from your address within the last 24 hours; redeem again to see it again',
  }),
  campaign: visitedCampaignSchema,
  requires: Type.Object({ phone: Type.Literal(true), email: Type.Literal(false) }),
});

export const redeemBodySchema = Type.Object({
  code: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'As printed; case, spaces and hyphens do not matter. 9 characters unless the campaign differs',
  }),
  phone: Type.Optional(
    Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
      description: 'Required, here or as `msisdn`',
    }),
  ),
  msisdn: Type.Optional(Type.Union([Type.String({ maxLength: 40 }), Type.Null()])),
  email: Type.Optional(
    Type.Union([Type.String({ maxLength: 254 }), Type.Null()], { description: 'Also send it there' }),
  ),
});

export const redeemedSchema = Type.Object({
  status: Type.Literal('redeemed'),
  campaign: visitedCampaignSchema,
  voucher_code: Type.String(),
  instructions: nullableText,
});

export function toVisitedCampaign(row: VisitedCampaignRow): Static<typeof visitedCampaignSchema> {
  const { campaign_id: id, name, slug, headline, cta_text, description } = row;
  if (id === null) throw new Error('There is no campaign to show');
  return { id, name, slug, headline, cta_text, description, product: toProduct(row) };
}

function toProduct(row: VisitedCampaignRow): Static<typeof productSchema> | null {
  const { product_id: id, product_name: name, product_slug: slug, variant_id: variantId } = row;
  if (id === null || name === null || slug === null || variantId === null) return null;
  const variant = { id: variantId, name: row.variant_name ?? '' };
  return { id, name, slug, image_url: row.product_image_url, variant };
}
