import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

import { fieldError } from '../../../platform/errors.ts';
import type { Resource } from '../../../platform/resource/resource.ts';
import { createSchema, updateSchema } from '../../../platform/resource/row-wire.ts';
import { columnOf } from './transfer-columns.ts';
import type { TransferColumn } from './transfer-columns.ts';

/** Holds imported rows against the very schemas of the admin API. */
export interface InputCheck {
  readonly newProduct: (input: Record<string, unknown>) => void;
  readonly newVariant: (input: Record<string, unknown>) => void;
  readonly change: (resource: Resource, input: Record<string, unknown>) => void;
}

/** Every check throws VALIDATION_ERROR about the first column that is wrong. */
export function createInputCheck(products: Resource, variants: Resource): InputCheck {
  const ajv = new Ajv({ strict: false, removeAdditional: 'all' });
  addFormats.default(ajv);
  const [product, variant, productChange, variantChange] = [
    createSchema(products),
    createSchema(variants),
    updateSchema(products),
    updateSchema(variants),
  ].map((schema) => ajv.compile(schema));
  return {
    newProduct: (input) => refuse(product, 'product', input),
    newVariant: (input) => refuse(variant, 'variant', input),
    change: (resource, input) =>
      resource === products
        ? refuse(productChange, 'product', input)
        : refuse(variantChange, 'variant', input),
  };
}

function refuse(
  check: ValidateFunction | undefined,
  of: TransferColumn['of'],
  input: Record<string, unknown>,
): void {
  if (!check || check(input)) return;
  const error = check.errors?.[0];
  const missing: unknown = error?.params['missingProperty'];
  const path = error?.instancePath.split('/').slice(1) ?? [];
  if (typeof missing === 'string') path.push(missing);
  const [field = 'row', ...inside] = path;
  const column = [columnOf(of, field), ...inside].join('.');
  const problem = typeof missing === 'string' ? 'is required' : (error?.message ?? 'is not valid');
  throw fieldError(column, `${column} ${problem}`);
}
