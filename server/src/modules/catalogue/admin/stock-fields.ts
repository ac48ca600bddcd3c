import { Type } from 'typebox';

import { toWireAmount } from '../../../platform/money.ts';
import { readOnly } from '../../../platform/resource/fields.ts';
import type { Resource, Row } from '../../../platform/resource/resource.ts';
import type { Stock, StockLevel } from '../catalogue-snapshot.ts';

const nullableNumber = Type.Union([Type.Number(), Type.Null()]);

const stockSchema = Type.Object(
  {
    available_units: Type.Integer(),
    average_cost: nullableNumber,
    margin_percent: nullableNumber,
  },
  {
    description: 'Codes in the vault that can be sold; what they cost on average; what of the price is left',
  },
);

/** Shows beside each variant what lies in the vault for it. */
export function withVariantStock(variants: Resource, stock: Stock): Resource {
  return {
    ...variants,
    fields: { ...variants.fields, stock: readOnly(stockSchema, { isLive: true }) },
    async complete(_reader, rows) {
      const levels = await levelsOf(stock, rows);
      return rows.map((row) => ({ ...row, stock: stockOf(row, levels) }));
    },
  };
}

interface WithVariants extends Row {
  readonly variants: readonly Row[];
}

/** Shows beside each product the units of all its variants. */
export function withProductStock(products: Resource, stock: Stock): Resource {
  return {
    ...products,
    fields: { ...products.fields, available_units: readOnly(Type.Integer(), { isLive: true }) },
    async complete(_reader, rows) {
      const levels = await levelsOf(
        stock,
        rows.flatMap((row) => (row as WithVariants).variants),
      );
      return rows.map((row) => ({
        ...row,
        available_units: (row as WithVariants).variants.reduce(
          (sum, variant) => sum + (levels.get(variant['id'])?.availableUnits ?? 0),
          0,
        ),
      }));
    },
  };
}

async function levelsOf(stock: Stock, variants: readonly Row[]): Promise<Map<unknown, StockLevel>> {
  const levels = await stock.listLevels(variants.map((row) => row['id'] as number));
  return new Map(levels.map((level) => [level.variantId, level]));
}

function stockOf(variant: Row, levels: ReadonlyMap<unknown, StockLevel>) {
  const level = levels.get(variant['id']);
  const costMinor = level?.averageCostMinor ?? null;
  const priceMinor = Math.round((variant['price'] as number) * 100);
  return {
    available_units: level?.availableUnits ?? 0,
    average_cost: costMinor === null ? null : toWireAmount(costMinor),
    // A figure to look at, in tenths of a percent; nothing is computed from it.
    margin_percent:
      costMinor === null || priceMinor === 0
        ? null
        : Math.round(((priceMinor - costMinor) / priceMinor) * 1000) / 10,
  };
}
