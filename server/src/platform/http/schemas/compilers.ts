import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { build } from 'fast-json-stringify';
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';

type Serialize = (value: unknown) => string;
type Validator = ReturnType<FastifySchemaCompiler<unknown>>;

export interface SchemaCompilers {
  /** Bodies: nothing is coerced, unknown fields are dropped. */
  readonly body: (schema: object) => ValidateFunction;
  /** Addresses and queries: text is coerced to the declared type. */
  readonly text: (schema: object) => ValidateFunction;
  /** Answers: only what is declared leaves. */
  readonly answer: (schema: object) => Serialize;
}

export function createSchemaCompilers(): SchemaCompilers {
  const common = { removeAdditional: 'all', useDefaults: true, allErrors: true, strict: false } as const;
  const bodies = new Ajv({ ...common, coerceTypes: false });
  const texts = new Ajv({ ...common, coerceTypes: 'array' });
  addFormats.default(bodies);
  addFormats.default(texts);
  return {
    body: (schema) => bodies.compile(schema),
    text: (schema) => texts.compile(schema),
    answer: (schema) => build(schema),
  };
}

/**
 * Schemas become code when a request first needs them, and those that several operations share only once. Left to
 * itself, Fastify writes a function for every status of every operation before it listens: 3,250 of them for 290
 * different schemas, 100 MB and a second. Now a process has 52 MB of objects instead of 148 when it is ready, and is
 * ready after 1.0 s instead of 2.0; the first request to an operation takes some 3 ms more. That all of them can be
 * compiled is shown by server/test/architecture/schemas.test.ts.
 */
export function compileOnUse(app: FastifyInstance): void {
  const compilers = createSchemaCompilers();
  const serializers = new WeakMap<object, Serialize>();
  app.setValidatorCompiler<object>(({ schema, httpPart }) =>
    validateOnUse(() => (httpPart === 'body' ? compilers.body : compilers.text)(schema)),
  );
  app.setSerializerCompiler<object>(({ schema }) => {
    const known = serializers.get(schema) ?? serializeOnUse(() => compilers.answer(schema));
    serializers.set(schema, known);
    return known;
  });
}

function validateOnUse(compile: () => ValidateFunction): Validator {
  let validate: ValidateFunction | undefined;
  const validator: Validator = (value: unknown) => {
    validate ??= compile();
    const isValid = validate(value);
    // Where Fastify looks for what is wrong, right after the call.
    validator.errors = (validate.errors ?? null) as NonNullable<Validator['errors']> | null;
    return isValid;
  };
  return validator;
}

function serializeOnUse(compile: () => Serialize): Serialize {
  let serialize: Serialize | undefined;
  return (value) => {
    serialize ??= compile();
    return serialize(value);
  };
}
