import { Type } from 'typebox';
import type { Static } from 'typebox';

import { toWireAmount } from '../../platform/money.ts';
import type {
  BrandRow,
  CategoryRow,
  LabelRow,
  PaymentMethodRow,
  ProductRow,
  TaxonomyRow,
  VariantRow,
} from './catalogue-store.ts';
import { IDENTIFIER_KEYS } from './fulfillment/fulfillment-config-rules.ts';
import type { FulfillmentConfig, FulfillmentField } from './fulfillment/fulfillment-config-rules.ts';
import { inputSchemaOf } from './fulfillment/fulfillment-schema-rules.ts';
import { inLanguage } from '../../platform/language.ts';
import type { Language } from '../../platform/language.ts';
import { shownCompareAt } from './pricing/price-rules.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const nullableAmount = Type.Union([Type.Number(), Type.Null()]);
const identifierKey = Type.Enum([...IDENTIFIER_KEYS]);

export const labelSchema = Type.Object({ id: Type.Integer(), name: Type.String(), slug: Type.String() });

export const taxonomySchema = Type.Object({ ...labelSchema.properties, sort_order: Type.Integer() });

export const brandSchema = Type.Object({
  ...taxonomySchema.properties,
  description: nullableText,
  image_url: nullableText,
});

const categoryFields = { ...brandSchema.properties, parent_id: Type.Union([Type.Integer(), Type.Null()]) };

// A schema that contains itself is not serialised well; deeper levels than these are passed on as they are.
const categoryLeaf = Type.Object({ ...categoryFields, children: Type.Array(Type.Unknown()) });
const categoryBranch = Type.Object({ ...categoryFields, children: Type.Array(categoryLeaf) });

/** `children` only with `?tree=true`. */
export const categorySchema = Type.Object({
  ...categoryFields,
  children: Type.Optional(Type.Array(categoryBranch, { description: 'Same shape again, to any depth.' })),
});

const fieldSchema = Type.Object({
  name: Type.String(),
  label: Type.String(),
  type: Type.String(),
  required: Type.Boolean(),
  pattern: Type.Optional(Type.String({ description: 'A regular expression the whole value must match.' })),
  options: Type.Optional(
    Type.Array(Type.Object({ value: Type.String(), label: Type.String() }), {
      description: 'The only values allowed.',
    }),
  ),
});

const identifierSchema = Type.Object({ key: identifierKey, label: Type.String(), required: Type.Boolean() });

export const variantSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  sku: Type.String(),
  price: Type.Number(),
  compare_at_price: nullableAmount,
  currency: Type.String(),
  sort_order: Type.Integer(),
  in_stock: Type.Boolean(),
  max_quantity: Type.Integer(),
  fulfillment: Type.Object({ engine: Type.Enum(['PRELOADED', 'PARTNER']), identifier: identifierSchema }),
});
export type ClientVariant = Static<typeof variantSchema>;

export const productSchema = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  slug: Type.String(),
  description: nullableText,
  image_url: nullableText,
  brand: labelSchema,
  category: labelSchema,
  product_type: labelSchema,
  tags: Type.Array(labelSchema),
  sort_order: Type.Integer(),
  fulfillment_input: Type.Object({
    mode: Type.Enum(['CODE', 'TOPUP']),
    identifier_field: identifierKey,
    fields: Type.Array(fieldSchema),
  }),
  variants: Type.Array(variantSchema),
});
export type ClientProduct = Static<typeof productSchema>;

export const fulfillmentFieldsSchema = Type.Object({
  variant_id: Type.Integer(),
  identifier_field: identifierKey,
  identifier: identifierSchema,
  fields: Type.Array(fieldSchema),
  input_schema: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'A JSON Schema (2020-12): an order’s `fulfillment_input` is checked by it, blanks around the values taken off.',
  }),
});

export const paymentMethodSchema = Type.Object({
  id: Type.Integer(),
  method: Type.String(),
  name: Type.String(),
  description: nullableText,
  image_url: nullableText,
  min_amount: nullableAmount,
  max_amount: nullableAmount,
  sort_order: Type.Integer(),
});

export function labelToWire(row: LabelRow, language: Language): Static<typeof labelSchema> {
  return { id: row.id, name: inLanguage(language, row.name, row.name_bn), slug: row.slug };
}

export function taxonomyToWire(row: TaxonomyRow, language: Language): Static<typeof taxonomySchema> {
  return { ...labelToWire(row, language), sort_order: row.sort_order };
}

export function brandToWire(row: BrandRow, language: Language): Static<typeof brandSchema> {
  return { ...taxonomyToWire(row, language), description: row.description, image_url: row.image_url };
}

export function categoryToWire(row: CategoryRow, language: Language): Static<typeof categorySchema> {
  return { ...brandToWire(row, language), parent_id: row.parent_id };
}

export type CategoryNode = Static<typeof categorySchema> & { children: CategoryNode[] };

/** The row with everything below it. `childrenOf` gives the active rows under an id, in order. */
export function categoryTreeToWire(
  row: CategoryRow,
  language: Language,
  childrenOf: (id: number) => readonly CategoryRow[],
): CategoryNode {
  const children = childrenOf(row.id).map((child) => categoryTreeToWire(child, language, childrenOf));
  return { ...categoryToWire(row, language), children };
}

export function paymentMethodToWire(
  row: PaymentMethodRow,
  language: Language,
): Static<typeof paymentMethodSchema> {
  return {
    id: row.id,
    method: row.method,
    name: inLanguage(language, row.name, row.name_bn),
    description: row.description,
    image_url: row.image_url,
    min_amount: row.min_minor === null ? null : toWireAmount(row.min_minor),
    max_amount: row.max_minor === null ? null : toWireAmount(row.max_minor),
    sort_order: row.sort_order,
  };
}

export interface Shown {
  readonly language: Language;
  readonly fulfillment: FulfillmentConfig;
}

/** A product as a customer sees it; `variants` are given in the order asked for. */
export function productToWire(row: ProductRow, shown: Shown, variants: ClientVariant[]): ClientProduct {
  const { language, fulfillment } = shown;
  return {
    id: row.id,
    name: inLanguage(language, row.name, row.name_bn),
    slug: row.slug,
    description: inLanguage(language, row.description, row.description_bn),
    image_url: row.image_url,
    brand: labelToWire(row.brand, language),
    category: labelToWire(row.category, language),
    product_type: labelToWire(row.product_type, language),
    tags: row.tags.map((tag) => labelToWire(tag, language)),
    sort_order: row.sort_order,
    fulfillment_input: {
      mode: fulfillment.mode,
      identifier_field: fulfillment.identifier.key,
      fields: fulfillment.fields.map((field) => fieldToWire(field, language)),
    },
    variants,
  };
}

export function variantToWire(row: VariantRow, shown: Shown, inStock: boolean): ClientVariant {
  const compareAtMinor = shownCompareAt(row);
  return {
    id: row.id,
    name: inLanguage(shown.language, row.name, row.name_bn),
    sku: row.sku,
    price: toWireAmount(row.price_minor),
    compare_at_price: compareAtMinor === null ? null : toWireAmount(compareAtMinor),
    currency: row.currency,
    sort_order: row.sort_order,
    in_stock: inStock,
    max_quantity: row.max_quantity,
    fulfillment: { engine: row.engine, identifier: identifierToWire(shown) },
  };
}

export function fulfillmentFieldsToWire(
  variantId: number,
  shown: Shown,
): Static<typeof fulfillmentFieldsSchema> {
  const { language, fulfillment } = shown;
  return {
    variant_id: variantId,
    identifier_field: fulfillment.identifier.key,
    identifier: identifierToWire(shown),
    fields: fulfillment.fields.map((field) => fieldToWire(field, language)),
    input_schema: { ...inputSchemaOf(fulfillment) },
  };
}

function identifierToWire({ language, fulfillment }: Shown): Static<typeof identifierSchema> {
  const { key, label, labelBn, required } = fulfillment.identifier;
  return { key, label: inLanguage(language, label, labelBn), required };
}

function fieldToWire(field: FulfillmentField, language: Language): Static<typeof fieldSchema> {
  return {
    name: field.name,
    label: inLanguage(language, field.label, field.labelBn),
    type: field.type,
    required: field.required,
    ...(field.pattern === undefined ? {} : { pattern: field.pattern }),
    ...(field.options === undefined
      ? {}
      : {
          options: field.options.map((each) => ({
            value: each.value,
            label: inLanguage(language, each.label, each.labelBn),
          })),
        }),
  };
}
