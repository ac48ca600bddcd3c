import { IDENTIFIER_KEYS } from './fulfillment-config-rules.ts';
import type { IdentifierKey } from './fulfillment-config-rules.ts';

export interface ExpectedField {
  readonly name: string;
  readonly required: boolean;
  readonly pattern?: string | undefined;
  readonly options?: readonly { readonly value: string }[] | undefined;
}

export interface ExpectedInput {
  readonly identifier: { readonly key: IdentifierKey; readonly required: boolean };
  readonly fields: readonly ExpectedField[];
}

export type InputProblem = { readonly field: string; readonly message: string };
export type CheckedInput =
  | { readonly kind: 'accepted'; readonly input: Record<string, string> }
  | { readonly kind: 'refused'; readonly problem: InputProblem };

const EMAIL = /^[^\s@<>,;"']+@[^\s@<>,;"']+\.[^\s@<>,;"']{2,}$/;

export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && EMAIL.test(text);
}

/**
 * Order create rule 4 and 5 (interface part 4): refuses two identifiers, the wrong one and missing required fields,
 * gives an e-mail product the order's fallback address, and drops every key the product does not declare.
 * Messages are the interface's, byte for byte (part 7).
 */
export function checkFulfillmentInput(
  expected: ExpectedInput,
  given: Readonly<Record<string, string>>,
  fallbackEmail: string | undefined,
): CheckedInput {
  const filled = new Map(Object.entries(given).map(([name, value]) => [name, value.trim()] as const));
  for (const [name, value] of filled) if (value === '') filled.delete(name);

  const received = IDENTIFIER_KEYS.filter((key) => filled.has(key));
  const { key } = expected.identifier;
  if (received.length > 1) return refuse(received[1] ?? key, 'only one recipient identifier is allowed');
  const other = received[0];
  if (other !== undefined && other !== key)
    return refuse(other, `this product expects ${key} but received ${other}`);
  if (key === 'email' && !filled.has('email') && fallbackEmail !== undefined)
    filled.set('email', fallbackEmail);

  const input: Record<string, string> = {};
  for (const field of declaredFields(expected)) {
    const value = filled.get(field.name);
    if (value === undefined) {
      if (field.required) return refuse(field.name, `Missing required fulfillment input: ${field.name}`);
      continue;
    }
    const problem = problemWith(field, value);
    if (problem) return refuse(field.name, problem);
    input[field.name] = value;
  }
  return { kind: 'accepted', input };
}

function declaredFields(expected: ExpectedInput): ExpectedField[] {
  const { key, required } = expected.identifier;
  const supporting = expected.fields.filter((field) => field.name !== key);
  const declared = expected.fields.find((field) => field.name === key);
  return [declared ? { ...declared, required } : { name: key, required }, ...supporting];
}

function problemWith(field: ExpectedField, value: string): string | undefined {
  if (value.length > 255) return `${field.name} must be at most 255 characters`;
  if (field.name === 'email' && !isEmailAddress(value)) return 'email must be a valid e-mail address';
  if (field.options && !field.options.some((option) => option.value === value)) {
    return `${field.name} must be one of: ${field.options.map((option) => option.value).join(', ')}`;
  }
  if (field.pattern && !new RegExp(`^(?:${field.pattern})$`, 'u').test(value)) {
    return `${field.name} does not have the form this product expects`;
  }
  return undefined;
}

function refuse(field: string, message: string): CheckedInput {
  return { kind: 'refused', problem: { field, message } };
}
