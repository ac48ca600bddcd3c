import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

import { fieldError } from '../../../platform/errors.ts';
import type { Resource } from '../../../platform/resource/resource.ts';
import { createSchema, updateSchema } from '../../../platform/resource/row-wire.ts';

/** Holds imported rows against the very schemas of the admin API. */
export interface InputCheck {
  readonly newProduct: (input: Record<string, unknown>) => void;
  readonly newVariant: (input: Record<string, unknown>) => void;
  readonly change: (resource: Resource, input: Record<string, unknown>) => void;
}

/** Every check throws VALIDATION_ERROR about the first field that is wrong. */
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
    newProduct: (input) => refuse(product, input),
    newVariant: (input) => refuse(variant, input),
    change: (resource, input) => refuse(resource === products ? productChange : variantChange, input),
  };
}

function refuse(check: ValidateFunction | undefined, input: Record<string, unknown>): void {
  if (!check || check(input)) return;
  const error = check.errors?.[0];
  const missing: unknown = error?.params['missingProperty'];
  const field =
    typeof missing === 'string' ? missing : (error?.instancePath.slice(1).replaceAll('/', '.') ?? 'row');
  throw fieldError(
    field,
    typeof missing === 'string' ? `${field} is required` : `${field} ${error?.message ?? 'is not valid'}`,
  );
}
