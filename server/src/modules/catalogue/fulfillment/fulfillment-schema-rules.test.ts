import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { fulfillmentConfigField, problemsOf } from './fulfillment-config-field.ts';
import { IDENTIFIER_KEYS, isIdentifierKey, parseFulfillmentConfig } from './fulfillment-config-rules.ts';
import { checkFulfillmentInput } from './check-fulfillment-input.ts';
import { inputSchemaOf } from './fulfillment-schema-rules.ts';

interface Entry {
  name: string;
  label?: string;
  type?: string;
  required?: boolean;
  pattern?: string;
  options?: { value: string }[];
}

/** A configuration as an operator writes it: sometimes with two identifiers, or with a name twice. */
const entry: fc.Arbitrary<Entry> = fc.record(
  {
    name: fc.constantFrom(...IDENTIFIER_KEYS, 'zone', 'region', 'server', 'nick'),
    label: fc.constantFrom('Who', 'কে'),
    type: fc.constantFrom('text', 'select'),
    required: fc.boolean(),
    // Each with plain text of the same meaning in `fits`, which is the rule told a second way.
    pattern: fc.constantFrom('[0-9]+', 'a|b', '.{2,}'),
    options: fc
      .uniqueArray(fc.constantFrom('1', '22', 'a', 'b', 'x y'), { minLength: 1 })
      .map((values) => values.map((value) => ({ value }))),
  },
  { requiredKeys: ['name'] },
);
const config = fc.record({ fields: fc.array(entry, { maxLength: 5 }) });

const value = fc.constantFrom('', ' ', '1', ' 22 ', 'a', 'b', 'c', 'x y', 'a@b.example', 'z'.repeat(300));
const input = fc.dictionary(
  fc.constantFrom(...IDENTIFIER_KEYS, 'zone', 'region', 'server', 'nick', 'stray'),
  value,
  { maxKeys: 6 },
);

const fits: Record<string, (text: string) => boolean> = {
  '[0-9]+': (text) => Array.from(text).every((character) => character >= '0' && character <= '9'),
  'a|b': (text) => text === 'a' || text === 'b',
  '.{2,}': (text) => text.length >= 2,
};

/** The rules of the interface in words of their own: what an order is answered, by which the code is judged. */
function expectedAnswer(entries: readonly Entry[], given: Record<string, string>): string {
  const declared = entries.some(({ name }) => isIdentifierKey(name))
    ? [...entries]
    : [{ name: 'email', required: true }, ...entries];
  const key = declared.find(({ name }) => isIdentifierKey(name))?.name ?? '';
  const said = Object.fromEntries(
    Object.entries(given)
      .map(([name, text]) => [name, text.trim()])
      .filter(([, text]) => text !== ''),
  );
  const identifiers = IDENTIFIER_KEYS.filter((name) => name in said);
  if (identifiers.length > 1) return 'two identifiers';
  if (identifiers.length === 1 && identifiers[0] !== key) return 'wrong identifier';
  for (const field of declared) {
    const text: string | undefined = said[field.name];
    const isRequired = field.required ?? isIdentifierKey(field.name);
    if (text === undefined && isRequired) return 'refused';
    if (text !== undefined && !isRight(field, text)) return 'refused';
  }
  const kept = declared.map(({ name }) => name).filter((name) => name in said);
  return JSON.stringify(Object.fromEntries(kept.toSorted().map((name) => [name, said[name]])));
}

function isRight({ name, pattern, options }: Entry, text: string): boolean {
  if (text.length > 255) return false;
  if (name === 'email' && text !== 'a@b.example') return false;
  if (options && !options.some((option) => option.value === text)) return false;
  return pattern === undefined || fits[pattern]?.(text) === true;
}

function answerOf(stored: unknown, given: Record<string, string>): string {
  const checked = checkFulfillmentInput(parseFulfillmentConfig(stored, 'CODE'), given, undefined);
  if (checked.kind === 'accepted') {
    const { input: kept } = checked;
    return JSON.stringify(
      Object.fromEntries(
        Object.keys(kept)
          .toSorted()
          .map((name) => [name, kept[name]]),
      ),
    );
  }
  const { message } = checked.problem;
  if (message === 'only one recipient identifier is allowed') return 'two identifiers';
  return message.startsWith('this product expects') ? 'wrong identifier' : 'refused';
}

describe('what an operator declares and what an order may say (interface parts 2, 4 and 7)', () => {
  it('refuses at write exactly the configurations with two identifiers, a name twice, or a dead option', () => {
    fc.assert(
      fc.property(config, ({ fields }) => {
        const names = fields.map(({ name }) => name);
        const isWrong =
          names.filter(isIdentifierKey).length > 1 ||
          new Set(names).size < names.length ||
          fields.some((field) => field.options?.some((option) => !isRight(field, option.value)));
        expect(problemsOf({ fields }, 'fulfillment_config').length > 0).toBe(isWrong);
      }),
      { numRuns: 1_000 },
    );
  });

  it('accepts of 1,000 configurations and inputs those that the rules accept, and keeps what they keep', () => {
    const answers = new Set<string>();
    fc.assert(
      fc.property(config, input, ({ fields }, given) => {
        fc.pre(problemsOf({ fields }, 'fulfillment_config').length === 0);
        const stored: unknown = JSON.parse(
          String(fulfillmentConfigField.toRow?.({ fields }, 'fulfillment_config')),
        );
        const answer = answerOf(stored, given);
        expect(answer).toBe(expectedAnswer(fields, given));
        answers.add(answer.startsWith('{') ? 'accepted' : answer);
      }),
      { numRuns: 1_000 },
    );
    // Else the generators would prove little.
    expect([...answers].toSorted()).toEqual(['accepted', 'refused', 'two identifiers', 'wrong identifier']);
  });

  it('shows clients a schema by which any JSON Schema validator judges as the order does', () => {
    const ajv = new Ajv2020({ strict: false });
    fc.assert(
      fc.property(config, input, (stored, given) => {
        const trimmed = Object.entries(given).map(([name, text]) => [name, text.trim()] as const);
        const said = Object.fromEntries(trimmed.filter(([, text]) => text !== ''));
        const schema = inputSchemaOf(parseFulfillmentConfig(stored, 'CODE'));
        expect(ajv.validateSchema(schema)).toBe(true);
        expect(ajv.compile(schema)(said)).toBe(answerOf(stored, given).startsWith('{'));
      }),
      { numRuns: 1_000 },
    );
  });

  it('reads whatever an old row holds as a configuration with one identifier that orders can be checked by', () => {
    const name = fc.constantFrom(...IDENTIFIER_KEYS, 'zone', '__proto__', 'a/b~c', ' ');
    const legacy = fc.record(
      {
        required_fields: fc.array(name),
        optional_fields: fc.array(name),
        field_labels: fc.dictionary(name, fc.string()),
        field_types: fc.dictionary(name, fc.constantFrom('text', 'number', 'email', 'constructor')),
        fields: fc.array(fc.record({ name, options: fc.array(fc.constantFrom('1', '1', 'b')) })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(legacy, fc.dictionary(name, value), (stored, given) => {
        const checked = checkFulfillmentInput(parseFulfillmentConfig(stored, 'TOPUP'), given, undefined);
        const kept = checked.kind === 'accepted' ? Object.keys(checked.input) : [];
        const identifiers = kept.filter(isIdentifierKey);
        expect(identifiers.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 1_000 },
    );
  });
});
