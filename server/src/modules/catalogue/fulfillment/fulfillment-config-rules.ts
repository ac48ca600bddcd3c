import { problemWithPattern } from './fulfillment-pattern-rules.ts';

/**
 * What a product asks of its buyer, read from what is stored (interface part 2, "Variant fulfillment configuration").
 * Pure. Reading never fails: a row that an old version wrote must not take a product off the shelf.
 */

/** The only names that may say who receives; a product has exactly one of them. */
export const IDENTIFIER_KEYS = ['email', 'player_id', 'account_id', 'uid'] as const;
export type IdentifierKey = (typeof IDENTIFIER_KEYS)[number];

/** CODE delivers a code, TOPUP credits an account (decisions part 3). */
export type FulfillmentMode = 'CODE' | 'TOPUP';

export interface FieldOption {
  readonly value: string;
  readonly label: string;
  readonly labelBn?: string;
}

export interface FulfillmentField {
  readonly name: string;
  readonly label: string;
  readonly labelBn?: string;
  readonly type: string;
  readonly required: boolean;
  /** A regular expression the whole value must match. */
  readonly pattern?: string;
  /** The only values allowed, when there are any. */
  readonly options?: readonly FieldOption[];
}

export interface RecipientIdentifier {
  readonly key: IdentifierKey;
  readonly label: string;
  readonly labelBn?: string;
  readonly required: boolean;
}

export interface FulfillmentConfig {
  readonly mode: FulfillmentMode;
  readonly identifier: RecipientIdentifier;
  /** The identifier's own entry and every supporting field, in stored order. */
  readonly fields: readonly FulfillmentField[];
}

export function isIdentifierKey(name: string): name is IdentifierKey {
  return (IDENTIFIER_KEYS as readonly string[]).includes(name);
}

/**
 * Reads a stored `fulfillment_config`: `{fields[]}`, or the legacy arrays (`required_fields`, `optional_fields`,
 * `field_labels`, `field_types`), which are translated and never shown again. Of several identifiers the first
 * stays; a product that declares none reads as `email`, required (decisions part 3).
 */
export function parseFulfillmentConfig(stored: unknown, mode: FulfillmentMode): FulfillmentConfig {
  const config = isRecord(stored) ? stored : {};
  const declared = listOf(config['fields']).flatMap(parseField);
  const named = withoutRepeats(declared.length > 0 ? declared : parseLegacyFields(config));
  const first = named.find((field) => isIdentifierKey(field.name));
  const kept = named.filter((field) => field === first || !isIdentifierKey(field.name));
  const fields = first ? kept : [EMAIL_FIELD, ...kept];
  return { mode, identifier: identifierOf(first ?? EMAIL_FIELD), fields };
}

const KNOWN_LABELS: Readonly<Record<IdentifierKey, { readonly label: string; readonly labelBn: string }>> = {
  email: { label: 'Email', labelBn: 'ইমেইল' },
  player_id: { label: 'Player ID', labelBn: 'প্লেয়ার আইডি' },
  account_id: { label: 'Account ID', labelBn: 'অ্যাকাউন্ট আইডি' },
  uid: { label: 'User ID', labelBn: 'ইউজার আইডি' },
};

const EMAIL_FIELD: FulfillmentField = { name: 'email', ...KNOWN_LABELS.email, type: 'email', required: true };

function identifierOf(field: FulfillmentField): RecipientIdentifier {
  const { name, label, labelBn, required } = field;
  return { key: name as IdentifierKey, label, ...(labelBn ? { labelBn } : {}), required };
}

function parseField(entry: unknown): FulfillmentField[] {
  if (!isRecord(entry)) return [];
  const name = textOf(entry['name']);
  if (name === undefined) return [];
  const pattern = patternOf(entry['pattern']);
  const options = listOf(entry['options']).flatMap(parseOption);
  return [
    {
      name,
      ...labelsOf(name, textOf(entry['label']), textOf(entry['label_bn'])),
      type: textOf(entry['type']) ?? usualTypeOf(name),
      // Without the word, what says who receives is needed and a supporting field is not.
      required: typeof entry['required'] === 'boolean' ? entry['required'] : isIdentifierKey(name),
      ...(pattern === undefined ? {} : { pattern }),
      ...(options.length === 0 ? {} : { options }),
    },
  ];
}

function parseOption(entry: unknown): FieldOption[] {
  const value = isRecord(entry) ? textOf(entry['value']) : textOf(entry);
  if (value === undefined) return [];
  const given = isRecord(entry) ? entry : {};
  const labelBn = textOf(given['label_bn']);
  return [{ value, label: textOf(given['label']) ?? value, ...(labelBn === undefined ? {} : { labelBn }) }];
}

function parseLegacyFields(config: Readonly<Record<string, unknown>>): FulfillmentField[] {
  const labels = isRecord(config['field_labels']) ? config['field_labels'] : {};
  const types = isRecord(config['field_types']) ? config['field_types'] : {};
  const entry = (required: boolean) => (named: unknown) => {
    const name = textOf(named);
    return name === undefined ? [] : parseField({ name, label: labels[name], type: types[name], required });
  };
  return [
    ...listOf(config['required_fields']).flatMap(entry(true)),
    ...listOf(config['optional_fields']).flatMap(entry(false)),
  ];
}

/** Of two fields with one name the first stays: a form cannot ask for both. */
function withoutRepeats(fields: readonly FulfillmentField[]): FulfillmentField[] {
  return fields.filter((field, at) => fields.findIndex(({ name }) => name === field.name) === at);
}

function labelsOf(name: string, label?: string, labelBn?: string): { label: string; labelBn?: string } {
  if (label !== undefined) return labelBn === undefined ? { label } : { label, labelBn };
  if (isIdentifierKey(name)) return { ...KNOWN_LABELS[name], ...(labelBn === undefined ? {} : { labelBn }) };
  const words = name.replaceAll('_', ' ');
  return {
    label: words.charAt(0).toUpperCase() + words.slice(1),
    ...(labelBn === undefined ? {} : { labelBn }),
  };
}

const usualTypeOf = (name: string): string => (name === 'email' ? 'email' : 'text');

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A pattern that cannot be run, or not in bounded time, is none: it would fail every order of the product. */
function patternOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text !== undefined && problemWithPattern(text) === undefined ? text : undefined;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.trim() === '' ? undefined : value.trim();
}
