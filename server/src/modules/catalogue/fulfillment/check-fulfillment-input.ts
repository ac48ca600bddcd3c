import { Check } from 'typebox/schema';

import { IDENTIFIER_KEYS } from './fulfillment-config-rules.ts';
import type { FulfillmentConfig } from './fulfillment-config-rules.ts';
import { inputSchemaOf } from './fulfillment-schema-rules.ts';
import type { ValueSchema } from './fulfillment-schema-rules.ts';
import { LONGEST_VALUE } from './fulfillment-pattern-rules.ts';

export type InputProblem = { readonly field: string; readonly message: string };
export type CheckedInput =
  | { readonly kind: 'accepted'; readonly input: Record<string, string> }
  | { readonly kind: 'refused'; readonly problem: InputProblem };

/**
 * Order create rule 4 and 5 (interface part 4): refuses two identifiers, the wrong one and what the product's input
 * schema refuses, gives an e-mail product the order's fallback address, and drops every key the product does not
 * declare. Messages are the interface's, byte for byte (part 7).
 */
export function checkFulfillmentInput(
  expected: FulfillmentConfig,
  given: Readonly<Record<string, string>>,
  fallbackEmail: string | undefined,
): CheckedInput {
  const filled = new Map(Object.entries(given).map(([name, value]) => [name, value.trim()] as const));
  for (const [name, value] of filled) if (value === '') filled.delete(name);

  const { key } = expected.identifier;
  const received = IDENTIFIER_KEYS.filter((each) => filled.has(each));
  if (received.length > 1) return refuse(received[1] ?? key, 'only one recipient identifier is allowed');
  const other = received[0];
  if (other !== undefined && other !== key)
    return refuse(other, `this product expects ${key} but received ${other}`);
  if (key === 'email' && other === undefined && fallbackEmail !== undefined)
    filled.set('email', fallbackEmail);

  const names = expected.fields.map(({ name }) => name).filter((name) => filled.has(name));
  const input = Object.fromEntries(names.map((name) => [name, filled.get(name) ?? '']));
  const problem = problemWith(expected, input);
  return problem ? { kind: 'refused', problem } : { kind: 'accepted', input };
}

/** What is wrong with the first field that is wrong; the identifier is looked at before the others. */
function problemWith(
  expected: FulfillmentConfig,
  input: Readonly<Record<string, string>>,
): InputProblem | undefined {
  const tooLong = Object.keys(input).find((name) => Array.from(input[name] ?? '').length > LONGEST_VALUE);
  // Before any pattern runs: how long one may take was reckoned for values of this length.
  if (tooLong !== undefined)
    return { field: tooLong, message: `${tooLong} must be at most ${LONGEST_VALUE} characters` };
  const schema = inputSchemaOf(expected);
  if (Check(schema, input)) return undefined;
  const { key } = expected.identifier;
  const names = [key, ...expected.fields.map(({ name }) => name).filter((name) => name !== key)];
  for (const field of names) {
    const value = Object.hasOwn(input, field) ? input[field] : undefined;
    const message =
      value === undefined
        ? schema.required.includes(field) && `Missing required fulfillment input: ${field}`
        : problemWithValue(schema.properties[field] ?? false, value, field);
    if (message) return { field, message };
  }
  throw new Error('The input schema refuses an input of which every field is right');
}

function problemWithValue(schema: ValueSchema | false, value: string, name: string): string | undefined {
  if (!schema) return undefined;
  if (schema.enum && !schema.enum.includes(value)) return `${name} must be one of: ${schema.enum.join(', ')}`;
  const failed = schema.allOf?.find((check) => !Check(check, value));
  if (!failed) return undefined;
  return failed.title === undefined
    ? `${name} does not have the form this product expects`
    : `${name} must be ${failed.title}`;
}

function refuse(field: string, message: string): CheckedInput {
  return { kind: 'refused', problem: { field, message } };
}
