import { Type } from 'typebox';
import type { Static } from 'typebox';

import { AppError, fieldError } from '../../../platform/errors.ts';
import { toWireAmount } from '../../../platform/money.ts';
import {
  byReference,
  choice,
  equals,
  optionalMoment,
  optionalText,
  optionalUrl,
  readOnly,
  reference,
  slug,
  sortOrder,
  text,
} from '../../../platform/resource/fields.ts';
import type { Change, Field, Resource, Row } from '../../../platform/resource/resource.ts';
import { insertRow } from '../../../platform/resource/resource-store.ts';
import { columnsOf, createSchema } from '../../../platform/resource/row-wire.ts';
import type { Clock } from '../../../platform/time.ts';
import { refuseEndBeforeStart } from '../content/schedule-rules.ts';
import { fulfillmentConfigField } from '../fulfillment/fulfillment-config-field.ts';
import { deleteVariantsOfProduct, listMissingTags, replaceProductTags } from './product-link-store.ts';
import { variantResource } from './variant-resource.ts';

export const PRODUCT_STATUSES = ['draft', 'active', 'archived'] as const;

const tagIds: Field = {
  schema: Type.Array(Type.Integer()),
  input: Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), { maxItems: 50 }),
  write: 'always',
  // JSON and not an array: its numbers arrive as numbers.
  select: `(SELECT COALESCE(json_agg(t.tag_id ORDER BY t.tag_id), '[]') FROM product_tags t WHERE t.product_id = r.id)`,
  async link(tx, productId, value) {
    const wanted = [...new Set(value as number[])];
    const missing = await listMissingTags(tx, wanted);
    if (missing.length > 0) throw fieldError('tag_ids', `tag_ids names ${missing.join(', ')}: no such tag`);
    await replaceProductTags(tx, productId, wanted);
  },
};

const variantSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  name_bn: Type.Union([Type.String(), Type.Null()]),
  sku: Type.String(),
  price: Type.Number(),
  compare_at_price: Type.Union([Type.Number(), Type.Null()]),
  currency: Type.String(),
  engine: Type.String(),
  max_quantity: Type.Integer(),
  is_active: Type.Boolean(),
  sort_order: Type.Integer(),
});

interface VariantJson extends Static<typeof variantSchema> {
  readonly price_minor: number;
  readonly compare_at_price_minor: number | null;
}

function variantToWire(row: VariantJson): Static<typeof variantSchema> {
  const { id, name, name_bn, sku, currency, engine, max_quantity, is_active, sort_order } = row;
  const compareAt = row.compare_at_price_minor;
  return {
    id,
    name,
    name_bn,
    sku,
    price: toWireAmount(row.price_minor),
    compare_at_price: compareAt === null ? null : toWireAmount(compareAt),
    currency,
    engine,
    max_quantity,
    is_active,
    sort_order,
  };
}

/** Written with a new product; afterwards variants have endpoints of their own (decisions part 3). */
const variants: Field = {
  schema: Type.Array(variantSchema),
  input: Type.Array(createSchema(variantResource), { maxItems: 100 }),
  write: 'onCreate',
  select: `(SELECT COALESCE(json_agg(v ORDER BY v.sort_order, v.id), '[]') FROM product_variants v
    WHERE v.product_id = r.id)`,
  toWire: (value) => (value as VariantJson[]).map(variantToWire),
  async link(tx, productId, value) {
    for (const [at, input] of (value as Row[]).entries()) {
      try {
        await variantResource.check?.(tx, { id: undefined, before: undefined, input });
        const columns = columnsOf(variantResource, input).set('product_id', productId);
        await insertRow(tx, variantResource, columns);
      } catch (error) {
        throw inVariant(error, at);
      }
    }
  },
};

/** The same error about `variants.<at>.<field>`. */
function inVariant(error: unknown, at: number): unknown {
  const [problem] = error instanceof AppError ? (error.fields ?? []) : [];
  if (!problem) return error;
  return fieldError(`variants.${at}.${problem.field}`, `variants.${at}.${problem.message}`);
}

const label = (table: string, column: string): Field =>
  readOnly(Type.Object({ id: Type.Integer(), name: Type.String(), slug: Type.String() }), {
    select: `(SELECT json_build_object('id', l.id, 'name', l.name, 'slug', l.slug) FROM ${table} l WHERE l.id = r.${column})`,
  });

/** Decisions part 3, "Admin product body". */
export function productResource(clock: Clock): Resource {
  return {
    name: 'product',
    tag: 'Products',
    table: 'products',
    path: '/products',
    permission: { read: 'catalogue:read', write: 'catalogue:write' },
    fields: {
      name: text({ max: 200 }),
      name_bn: optionalText(200),
      slug: slug('name'),
      description: optionalText(10_000),
      description_bn: optionalText(10_000),
      image_url: optionalUrl(),
      brand_id: reference(),
      brand: label('brands', 'brand_id'),
      category_id: reference(),
      category: label('categories', 'category_id'),
      product_type_id: reference(),
      product_type: label('product_types', 'product_type_id'),
      tag_ids: tagIds,
      status: choice(PRODUCT_STATUSES),
      publish_at: optionalMoment(),
      unpublish_at: optionalMoment(),
      mode: choice(['CODE', 'TOPUP']),
      fulfillment_config: fulfillmentConfigField,
      sort_order: sortOrder(),
      variants,
    },
    search: ['name', 'name_bn', 'slug'],
    filters: {
      status: equals('status', Type.Enum([...PRODUCT_STATUSES])),
      mode: equals('mode', Type.Enum(['CODE', 'TOPUP'])),
      brand_id: byReference('brand_id'),
      category_id: byReference('category_id'),
      product_type_id: byReference('product_type_id'),
      tag_id: {
        schema: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
        where: (value) =>
          `EXISTS (SELECT 1 FROM product_tags t WHERE t.product_id = r.id AND t.tag_id = ${value})`,
      },
    },
    sorts: ['sort_order', 'id', 'name', 'status', 'created_at', 'updated_at'],
    operations: [
      'list',
      'create',
      'get',
      'update',
      'delete',
      {
        patch: 'status',
        fields: ['status', 'publish_at', 'unpublish_at'],
        summary: 'Publish, archive or schedule a product',
        description:
          'A draft with `publish_at` goes on sale then, an active product with `unpublish_at` is archived then.',
      },
      { reorder: 'PATCH' },
    ],
    check: async (_tx, change) => settleSchedule(change, clock),
    conflicts: { product_variants__sku: 'Another variant has this sku already' },
    beforeDelete: async (tx, id) => void (await deleteVariantsOfProduct(tx, id)),
  };
}

/**
 * A status that is set by hand ends the schedule that would have brought it: a product published early must not jump
 * back to life when it is made a draft again.
 */
function settleSchedule({ before, input }: Change, clock: Clock): Row {
  const status = input['status'] ?? before?.['status'] ?? 'draft';
  const settled = { ...input };
  if (status !== 'draft') settled['publish_at'] = scheduleLeft(input, 'publish_at', status);
  if (status === 'archived') settled['unpublish_at'] = scheduleLeft(input, 'unpublish_at', status);
  const after = { ...before, ...settled };
  refuseEndBeforeStart(after, { start: 'publish_at', end: 'unpublish_at' });
  const end = input['unpublish_at'];
  if (typeof end === 'string' && Date.parse(end) <= clock.now().getTime())
    throw fieldError('unpublish_at', 'unpublish_at must be in the future');
  return settled;
}

function scheduleLeft(input: Row, name: 'publish_at' | 'unpublish_at', status: unknown): null {
  const given = input[name];
  if (given === undefined || given === null) return null;
  throw fieldError(name, `${name} makes no sense for a product that is ${String(status)}`);
}
