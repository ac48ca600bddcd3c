import { statement } from '../../platform/db/database.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { DiscountRule } from './discount-rules.ts';

export interface DiscountRow {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly description: string | null;
  readonly discount_type: 'PERCENTAGE' | 'FIXED';
  readonly value_hundredths: number;
  readonly max_discount_minor: number | null;
  readonly min_purchase_minor: number | null;
  readonly usage_limit: number | null;
  readonly usage_limit_per_user: number | null;
  readonly usage_count: number;
  readonly start_date: Date | null;
  readonly end_date: Date | null;
  readonly is_active: boolean;
  readonly is_public: boolean;
  readonly first_order_only: boolean;
  readonly unique_codes_only: boolean;
  readonly variant_ids: number[];
  readonly product_ids: number[];
  readonly brand_ids: number[];
  readonly category_ids: number[];
  readonly payment_methods: string[];
  readonly revision: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** What an operator decides about a discount. */
export type DiscountValues = Omit<
  DiscountRow,
  'id' | 'usage_count' | 'revision' | 'created_at' | 'updated_at'
>;

/** A discount's columns, with `d` for the table. Lists of ids as JSON: the driver would make texts of them. */
export const DISCOUNT_COLUMNS = `d.id, d.code, d.name, d.description, d.discount_type, d.value_hundredths,
  d.max_discount_minor, d.min_purchase_minor, d.usage_limit, d.usage_limit_per_user, d.usage_count, d.start_date,
  d.end_date, d.is_active, d.is_public, d.first_order_only, d.unique_codes_only, to_jsonb(d.variant_ids) AS variant_ids,
  to_jsonb(d.product_ids) AS product_ids, to_jsonb(d.brand_ids) AS brand_ids, to_jsonb(d.category_ids) AS category_ids,
  d.payment_methods, d.revision, d.created_at, d.updated_at`;

export function ruleOf(row: DiscountRow): DiscountRule {
  return {
    type: row.discount_type,
    valueHundredths: row.value_hundredths,
    maxDiscountMinor: row.max_discount_minor,
    minPurchaseMinor: row.min_purchase_minor,
    usageLimit: row.usage_limit,
    usageLimitPerUser: row.usage_limit_per_user,
    usageCount: row.usage_count,
    startDate: row.start_date,
    endDate: row.end_date,
    isActive: row.is_active,
    firstOrderOnly: row.first_order_only,
    variantIds: row.variant_ids,
    productIds: row.product_ids,
    brandIds: row.brand_ids,
    categoryIds: row.category_ids,
    paymentMethods: row.payment_methods,
  };
}

const WRITTEN = [
  'code',
  'name',
  'description',
  'discount_type',
  'value_hundredths',
  'max_discount_minor',
  'min_purchase_minor',
  'usage_limit',
  'usage_limit_per_user',
  'start_date',
  'end_date',
  'is_active',
  'is_public',
  'first_order_only',
  'unique_codes_only',
  'variant_ids',
  'product_ids',
  'brand_ids',
  'category_ids',
  'payment_methods',
] as const satisfies readonly (keyof DiscountValues)[];

const valuesOf = (values: DiscountValues): unknown[] => WRITTEN.map((column) => values[column]);
const columns = WRITTEN.join(', ');
const numbers = (from: number): string => WRITTEN.map((_, index) => `$${index + from}`).join(', ');

const insert = statement(
  'discounts_insert',
  `INSERT INTO discounts AS d (${columns}) VALUES (${numbers(1)}) RETURNING ${DISCOUNT_COLUMNS}`,
);
const update = statement(
  'discounts_update',
  `UPDATE discounts AS d SET (${columns}) = (${numbers(2)}) WHERE id = $1 RETURNING ${DISCOUNT_COLUMNS}`,
);
const lock = statement(
  'discounts_lock',
  `SELECT ${DISCOUNT_COLUMNS} FROM discounts d WHERE id = $1 FOR NO KEY UPDATE`,
);
const find = statement('discounts_find', `SELECT ${DISCOUNT_COLUMNS} FROM discounts d WHERE id = $1`);
const remove = statement(
  'discounts_delete',
  `DELETE FROM discounts WHERE id = $1 AND NOT EXISTS (SELECT FROM discount_uses WHERE discount_id = $1)`,
);

export async function insertDiscount(tx: Tx, values: DiscountValues): Promise<DiscountRow> {
  const { rows } = await tx.query<DiscountRow>(insert, valuesOf(values));
  if (!rows[0]) throw new Error('INSERT … RETURNING gave no row');
  return rows[0];
}

export async function updateDiscount(
  tx: Tx,
  id: number,
  values: DiscountValues,
): Promise<DiscountRow | undefined> {
  return (await tx.query<DiscountRow>(update, [id, ...valuesOf(values)])).rows[0];
}

export async function lockDiscount(tx: Tx, id: number): Promise<DiscountRow | undefined> {
  return (await tx.query<DiscountRow>(lock, [id])).rows[0];
}

export async function findDiscountById(reader: Reader, id: number): Promise<DiscountRow | undefined> {
  return (await reader.query<DiscountRow>(find, [id])).rows[0];
}

/** @returns 0 when an order has ever used it. The caller has locked it. */
export async function deleteUnusedDiscount(tx: Tx, id: number): Promise<number> {
  return (await tx.query(remove, [id])).count;
}

export interface DiscountFilter {
  readonly search: string | null;
  readonly isActive: boolean | null;
  readonly isPublic: boolean | null;
  readonly type: DiscountRow['discount_type'] | null;
  readonly sort: DiscountSort;
  readonly limit: number;
  readonly offset: number;
}

const SORTABLE = ['id', 'code', 'name', 'usage_count', 'start_date', 'end_date', 'created_at'] as const;
type Sortable = (typeof SORTABLE)[number];
/** A column, with a minus for the other way round. */
export type DiscountSort = Sortable | `-${Sortable}`;
export const discountSorts: readonly DiscountSort[] = SORTABLE.flatMap((column): DiscountSort[] => [
  column,
  `-${column}`,
]);

/** Found by a part of code or name, or by one whole code of its batches. */
export async function listDiscounts(
  reader: Reader,
  filter: DiscountFilter,
): Promise<{ rows: DiscountRow[]; total: number }> {
  const { search, isActive, isPublic, type, sort, limit, offset } = filter;
  const column = sort.replace('-', '');
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  const { rows } = await reader.query<DiscountRow & { total: number }>(
    `SELECT ${DISCOUNT_COLUMNS}, count(*) OVER ()::int AS total FROM discounts d
     WHERE ($1::text IS NULL OR strpos(lower(d.code), lower($1)) > 0 OR strpos(lower(d.name), lower($1)) > 0
            OR EXISTS (SELECT FROM discount_codes c WHERE c.code = upper($1) AND c.discount_id = d.id))
       AND ($2::boolean IS NULL OR d.is_active = $2)
       AND ($3::boolean IS NULL OR d.is_public = $3)
       AND ($4::text IS NULL OR d.discount_type = $4)
     ORDER BY d.${column} ${direction} NULLS LAST, d.id ${direction} LIMIT $5 OFFSET $6`,
    [search, isActive, isPublic, type, limit, offset],
  );
  return { rows, total: rows[0]?.total ?? 0 };
}
