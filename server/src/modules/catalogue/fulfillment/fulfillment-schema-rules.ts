import { IDENTIFIER_KEYS } from './fulfillment-config-rules.ts';
import type { FulfillmentConfig, FulfillmentField } from './fulfillment-config-rules.ts';
import { LONGEST_VALUE, wholly } from './fulfillment-pattern-rules.ts';

const EMAIL = '^[^\\s@<>,;"\']+@[^\\s@<>,;"\']+\\.[^\\s@<>,;"\']{2,}$';

interface ValueCheck {
  /** What the value must be, for people. */
  readonly title?: string;
  readonly pattern: string;
  readonly maxLength?: number;
}

/** The types that say what a value looks like; any other only tells a form how to ask. */
const TYPE_CHECKS: Readonly<Record<string, ValueCheck>> = {
  email: { title: 'a valid e-mail address', pattern: EMAIL, maxLength: 254 },
  number: { title: 'a number', pattern: '^-?[0-9]{1,20}(?:\\.[0-9]{1,20})?$' },
  tel: { title: 'a telephone number', pattern: '^\\+?[0-9][0-9 ()-]{4,24}$' },
};

const emailAddress = new RegExp(EMAIL, 'u');

/** One address, at most 254 characters, with nothing in it that could break a mail header. */
export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && emailAddress.test(text);
}

/** A JSON Schema (2020-12) of one order item's `fulfillment_input`. */
export interface FulfillmentInputSchema {
  readonly $schema: 'https://json-schema.org/draft/2020-12/schema';
  readonly type: 'object';
  /** `false` for the identifiers that this product does not take. */
  readonly properties: Readonly<Record<string, ValueSchema | false>>;
  readonly required: readonly string[];
}

export interface ValueSchema {
  readonly type: 'string';
  readonly minLength: 1;
  readonly maxLength: number;
  readonly enum?: readonly string[];
  /** What the type asks for and what the product's own `pattern` does. */
  readonly allOf?: readonly ValueCheck[];
}

/**
 * The one description of what an order must say about a product's recipient: orders are checked by it and clients
 * are shown it (interface part 2, "Variant fulfillment configuration"). It judges values without blanks around them;
 * keys it does not name are allowed and dropped (interface part 4, rule 4).
 */
export function inputSchemaOf({ identifier, fields }: FulfillmentConfig): FulfillmentInputSchema {
  const others = IDENTIFIER_KEYS.filter((key) => key !== identifier.key);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    // Not by assignment: a stored name may be `__proto__`.
    properties: Object.fromEntries([
      ...fields.map((field) => [field.name, valueSchemaOf(field)] as const),
      ...others.map((key) => [key, false] as const),
    ]),
    required: fields.filter((field) => field.required).map((field) => field.name),
  };
}

function valueSchemaOf({ name, type, pattern, options }: FulfillmentField): ValueSchema {
  // An address is one whatever the product calls its field.
  const kind = name === 'email' ? 'email' : type;
  const byType = Object.hasOwn(TYPE_CHECKS, kind) ? TYPE_CHECKS[kind] : undefined;
  const checks = [
    ...(byType === undefined ? [] : [byType]),
    ...(pattern === undefined ? [] : [{ pattern: wholly(pattern) }]),
  ];
  return {
    type: 'string',
    minLength: 1,
    maxLength: LONGEST_VALUE,
    ...(options === undefined ? {} : { enum: [...new Set(options.map(({ value }) => value))] }),
    ...(checks.length === 0 ? {} : { allOf: checks }),
  };
}
