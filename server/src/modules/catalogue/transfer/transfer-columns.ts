import type { Row } from '../../../platform/resource/resource.ts';

/**
 * The flat form in which the catalogue goes out and comes in: one row for each variant, with its product's fields
 * repeated; a product without variants is a row without a SKU. Products are known by slug, variants by SKU, and
 * brands, categories, product types and tags are named by slug.
 */
export type CellKind = 'text' | 'amount' | 'integer' | 'flag' | 'slugs' | 'json';

export interface TransferColumn {
  readonly name: string;
  readonly kind: CellKind;
  readonly of: 'product' | 'variant';
  /** The field of the admin API it is. */
  readonly field: string;
}

const product = (name: string, kind: CellKind, field = name): TransferColumn => ({
  name,
  kind,
  of: 'product',
  field,
});
const variant = (name: string, kind: CellKind, field = name): TransferColumn => ({
  name,
  kind,
  of: 'variant',
  field,
});

export const transferColumns: readonly TransferColumn[] = [
  product('product_slug', 'text', 'slug'),
  product('product_name', 'text', 'name'),
  product('product_name_bn', 'text', 'name_bn'),
  product('description', 'text'),
  product('description_bn', 'text'),
  product('image_url', 'text'),
  product('brand', 'text', 'brand_id'),
  product('category', 'text', 'category_id'),
  product('product_type', 'text', 'product_type_id'),
  product('tags', 'slugs', 'tag_ids'),
  product('status', 'text'),
  product('mode', 'text'),
  product('fulfillment_fields', 'json', 'fulfillment_config'),
  product('product_sort_order', 'integer', 'sort_order'),
  variant('sku', 'text'),
  variant('variant_name', 'text', 'name'),
  variant('variant_name_bn', 'text', 'name_bn'),
  variant('price', 'amount'),
  variant('compare_at_price', 'amount'),
  variant('engine', 'text'),
  variant('max_quantity', 'integer'),
  variant('is_active', 'flag'),
  variant('variant_sort_order', 'integer', 'sort_order'),
];

/** How the file calls a field of the admin API. */
export function columnOf(of: TransferColumn['of'], field: string): string {
  return transferColumns.find((column) => column.of === of && column.field === field)?.name ?? field;
}

/** A cell of a CSV file as the value it stands for; what cannot be read stays text and fails its schema. */
export function readCell(kind: CellKind, cell: string): unknown {
  switch (kind) {
    case 'text':
      return cell;
    case 'amount':
    case 'integer':
      return /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
    case 'flag':
      return cell === 'true' || cell === 'false' ? cell === 'true' : cell;
    case 'slugs':
      return cell.split('|').map((slug) => slug.trim());
    case 'json':
      return readJson(cell);
  }
}

function readJson(cell: string): unknown {
  try {
    return JSON.parse(cell) as unknown;
  } catch {
    return cell;
  }
}

export function writeCell(kind: CellKind, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (kind === 'slugs') return (value as string[]).join('|');
  return kind !== 'json' && typeof value === 'string' ? value : JSON.stringify(value);
}

/** The fields of a row that belong to its product, or to its variant, by their admin names. Missing ones are left out. */
export function fieldsFor(of: TransferColumn['of'], row: Row): Record<string, unknown> {
  const own = transferColumns.filter((column) => column.of === of && row[column.name] !== undefined);
  return Object.fromEntries(own.map(({ name, field }) => [field, row[name]]));
}
