import { Type } from 'typebox';
import type { Static } from 'typebox';
import { Check } from 'typebox/schema';

import { AppError } from '../../../platform/errors.ts';
import type { FieldProblem } from '../../../platform/errors.ts';
import type { Field } from '../../../platform/resource/resource.ts';
import { isIdentifierKey, parseFulfillmentConfig } from './fulfillment-config-rules.ts';
import type { FulfillmentField } from './fulfillment-config-rules.ts';
import { inputSchemaOf } from './fulfillment-schema-rules.ts';
import { LONGEST_PATTERN, problemWithPattern } from './fulfillment-pattern-rules.ts';

const label = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' });
const MOST_FIELDS = 20;
const MOST_OPTIONS = 300;

const optionSchema = Type.Object({
  value: Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' }),
  label: Type.Optional(label),
  label_bn: Type.Optional(label),
});

const entrySchema = Type.Object({
  name: Type.String({
    pattern: '^[a-z][a-z0-9_]{0,49}$',
    description: '`email`, `player_id`, `account_id` or `uid` says who receives; at most one of the four.',
  }),
  label: Type.Optional(label),
  label_bn: Type.Optional(label),
  type: Type.Optional(
    Type.String({
      pattern: '^[a-z][a-z0-9_-]{0,29}$',
      description:
        '`text` when left out. Values of `email`, `number` and `tel` are checked; any other tells a form how to ask.',
    }),
  ),
  required: Type.Optional(Type.Boolean()),
  pattern: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LONGEST_PATTERN,
      description: 'A regular expression the whole value must match; no repeats of what repeats.',
    }),
  ),
  options: Type.Optional(
    Type.Array(optionSchema, {
      minItems: 1,
      maxItems: MOST_OPTIONS,
      description: 'The only values allowed.',
    }),
  ),
});

const configSchema = Type.Object({ fields: Type.Array(entrySchema, { maxItems: MOST_FIELDS }) });
type Config = Static<typeof configSchema>;

const shownSchema = Type.Object({
  fields: Type.Array(
    Type.Object({
      name: Type.String(),
      label: Type.String(),
      label_bn: Type.Optional(Type.String()),
      type: Type.String(),
      required: Type.Boolean(),
      pattern: Type.Optional(Type.String()),
      options: Type.Optional(
        Type.Array(
          Type.Object({
            value: Type.String(),
            label: Type.String(),
            label_bn: Type.Optional(Type.String()),
          }),
        ),
      ),
    }),
  ),
});

/**
 * `fulfillment_config` of a product (interface part 2): `fields[]` is the only shape taken and the only one shown,
 * whatever an old row holds.
 */
export const fulfillmentConfigField: Field = {
  schema: shownSchema,
  input: configSchema,
  write: 'always',
  toRow: (value, name) => {
    const problems = problemsOf(value as Config, name);
    if (problems[0]) throw new AppError('VALIDATION_ERROR', problems[0].message, { fields: problems });
    // Stored with everything said, so that a later default changes no product.
    return JSON.stringify(toShown(value));
  },
  toWire: toShown,
};

function toShown(stored: unknown): Static<typeof shownSchema> {
  // The mode is not part of what is shown here.
  return { fields: parseFulfillmentConfig(stored, 'CODE').fields.map(fieldToShown) };
}

function fieldToShown(field: FulfillmentField): Static<typeof shownSchema>['fields'][number] {
  const { labelBn, options, ...same } = field;
  return {
    ...same,
    ...(labelBn === undefined ? {} : { label_bn: labelBn }),
    ...(options === undefined
      ? {}
      : {
          options: options.map((option) => ({
            value: option.value,
            label: option.label,
            ...(option.labelBn === undefined ? {} : { label_bn: option.labelBn }),
          })),
        }),
  };
}

/** What the schema alone cannot see. */
export function problemsOf(config: Config, path: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const say = (at: number, property: string, problem: string): void => {
    const field = `${path}.fields.${at}.${property}`;
    problems.push({ field, message: `${field} ${problem}` });
  };
  const names = new Set<string>();
  let identifiers = 0;
  for (const [at, entry] of config.fields.entries()) {
    if (isIdentifierKey(entry.name)) identifiers += 1;
    if (names.has(entry.name)) say(at, 'name', `repeats ${entry.name}: every name may be there once`);
    else if (isIdentifierKey(entry.name) && identifiers > 1)
      say(at, 'name', `is a second recipient identifier: only one recipient identifier is allowed`);
    names.add(entry.name);
    const pattern = entry.pattern === undefined ? undefined : problemWithPattern(entry.pattern);
    if (pattern !== undefined) say(at, 'pattern', pattern);
    const values = entry.options?.map(({ value }) => value.trim()) ?? [];
    const twice = values.find((value, index) => values.indexOf(value) !== index);
    if (twice !== undefined) say(at, 'options', `names the value ${twice} twice`);
    const unusable = pattern === undefined ? findUnusableOption(entry) : undefined;
    if (unusable !== undefined)
      say(at, 'options', `names the value ${unusable}, which the type or pattern of the field refuses`);
  }
  return problems;
}

/** An option that no order could choose. */
function findUnusableOption(entry: Config['fields'][number]): string | undefined {
  if (!entry.options) return undefined;
  const schema = inputSchemaOf(parseFulfillmentConfig({ fields: [entry] }, 'CODE')).properties[entry.name];
  const values = entry.options.map(({ value }) => value.trim());
  return schema ? values.find((value) => !Check(schema, value)) : undefined;
}
