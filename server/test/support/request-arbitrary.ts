import fc from 'fast-check';

/** The part of JSON Schema our schemas use. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: string;
}

const hostileText = fc.constantFrom(
  '',
  ' ',
  '\0',
  '\uD800',
  "' OR 1=1 --",
  '%00',
  '../../etc/passwd',
  '=1+1',
  '<script>',
  'a'.repeat(5000),
  'বাংলা',
  'NaN',
  '-1',
  '1e309',
  '2026-13-45T99:99:99Z',
  '%',
  '_',
  '\\',
);

const hostile: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(
    null,
    true,
    -1,
    0,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER,
    9_999_999_999,
    [],
    {},
    [[]],
    [null],
  ),
);

/** Values that fit a schema, values on its edges, and now and then something else altogether. */
export function valueFor(schema: unknown): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: fitting(schema as Schema) }, { weight: 1, arbitrary: hostile });
}

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valueFor));
  if (schema.allOf)
    return fc.tuple(...schema.allOf.map(fitting)).map((parts) => Object.assign({}, ...(parts as object[])));
  switch (schema.type) {
    case 'object':
      return objectFor(schema);
    case 'array':
      return fc.array(valueFor(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, (schema.minItems ?? 0) + 3),
      });
    case 'integer':
      return fc.oneof(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: schema.minimum ?? -5, max: schema.maximum ?? 2 ** 31 }),
      );
    case 'number':
      return fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return textFor(schema);
    default:
      return fc.oneof(fc.jsonValue({ maxDepth: 2 }), hostileText);
  }
}

function objectFor(schema: Schema): fc.Arbitrary<unknown> {
  const required = new Set(schema.required ?? []);
  const known = fc.record(
    Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, property]) => [name, valueFor(property)]),
    ),
    { requiredKeys: [...required] },
  );
  const extra = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties;
  const more =
    typeof extra === 'object'
      ? fc.dictionary(fc.constantFrom('email', 'player_id', 'zone', 'x'), valueFor(extra))
      : fc.constant({});
  return fc.tuple(known, more).map(([fixed, open]) => ({ ...fixed, ...open }));
}

function textFor(schema: Schema): fc.Arbitrary<string> {
  if (schema.format === 'date-time')
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (schema.format === 'uuid') return fc.uuid();
  const plain = fc.string({
    minLength: schema.minLength ?? 0,
    maxLength: Math.min(schema.maxLength ?? 30, (schema.minLength ?? 0) + 30),
  });
  return fc.oneof(plain, hostileText, fc.constantFrom('01700000001', 'a@b.example', 'abc-def', '12.50'));
}
