import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';

import { describeEvents, eventExample, eventSchema } from './describe-events.ts';
import { eventCatalogue, eventTypes } from './event-catalogue.ts';
import { toEventBody } from './event-body.ts';

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);

/** Names of what must never leave, whole or as a part of a name. */
const secretWords =
  /(^|_)(code|codes|voucher|vouchers|pin|password|passwd|otp|token|tokens|secret|serial|number|url|redemption|key|msisdn|phone|email|name|message|text|notes)(_|$)/;
/** Ids of rows and of orders, which are no secrets. */
const harmless = new Set(['order_number', 'redemption_code_id']);

interface FieldSchema {
  readonly type?: string;
  readonly pattern?: string;
  readonly anyOf?: readonly FieldSchema[];
}
const leaves = (schema: FieldSchema): readonly FieldSchema[] => schema.anyOf?.flatMap(leaves) ?? [schema];

describe.each(eventTypes)('%s', (type) => {
  const { data, example } = eventCatalogue[type];

  it('has no field for a code, pin, password, OTP or token, nor for anything that somebody typed', () => {
    const fields = Object.keys(data.properties).filter((name) => !harmless.has(name));
    expect(fields.filter((name) => secretWords.test(name))).toEqual([]);
  });

  it('holds numbers, yes or no, and words of ours only, and is closed', () => {
    expect(data).toMatchObject({ additionalProperties: false });
    for (const field of Object.values(data.properties) as FieldSchema[]) {
      for (const leaf of leaves(field)) {
        expect(['integer', 'boolean', 'null', 'string']).toContain(leaf.type);
        if (leaf.type === 'string') expect(leaf.pattern).toBe('^[A-Za-z0-9_.:-]{1,64}$');
      }
    }
  });

  it('has an example that its schema accepts, with every field', () => {
    const validate = ajv.compile(eventSchema(type));
    expect(validate(eventExample(type)), JSON.stringify(validate.errors)).toBe(true);
    expect(Object.keys(example).toSorted()).toEqual(Object.keys(data.properties).toSorted());
    expect(validate({ ...eventExample(type), data: {} })).toBe(false);
  });

  it('leaves without a secret that was recorded by mistake', () => {
    const secrets = {
      code: 'C4N4RY',
      pin: '1234',
      password: 'p',
      otp: '123456',
      token: 't',
      voucher_code: 'v',
    };
    const recorded = { id: 'x', type, occurred_at: new Date(0), data: { ...example, ...secrets } };
    expect(toEventBody(recorded).data).toEqual(example);
  });
});

describe('the AsyncAPI document', () => {
  const text = describeEvents('1.0.0');
  const document = JSON.parse(text) as Record<string, unknown>;

  it('has a message with schema and example for every kind', () => {
    const { messages } = document['components'] as { messages: Record<string, { payload: object }> };
    expect(Object.keys(messages)).toEqual(eventTypes);
    for (const { payload } of Object.values(messages)) expect(ajv.validateSchema(payload)).toBe(true);
  });

  it('refers only to what it holds', () => {
    const references = [...text.matchAll(/"\$ref": "#\/([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(references.length).toBeGreaterThan(eventTypes.length);
    for (const reference of references) {
      let at: unknown = document;
      for (const step of reference.split('/')) at = (at as Record<string, unknown>)[step];
      expect(at, reference).toBeDefined();
    }
  });
});
