import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { IDENTIFIER_KEYS, isIdentifierKey, parseFulfillmentConfig } from './fulfillment-config-rules.ts';

const EMAIL = { name: 'email', label: 'Email', labelBn: 'ইমেইল', type: 'email', required: true };
const names = (stored: unknown): string[] =>
  parseFulfillmentConfig(stored, 'CODE').fields.map(({ name }) => name);

describe('parseFulfillmentConfig', () => {
  it.each([
    undefined,
    null,
    7,
    'text',
    [],
    {},
    { fields: [] },
    { fields: 'no' },
    { fields: [null, 3, {}, { name: ' ' }] },
  ])('reads a product without an identifier as email, required (%j)', (stored) => {
    const config = parseFulfillmentConfig(stored, 'CODE');
    expect(config.identifier).toEqual({ key: 'email', label: 'Email', labelBn: 'ইমেইল', required: true });
    expect(config.fields).toEqual([EMAIL]);
  });

  it.each(IDENTIFIER_KEYS)('takes %s as the identifier, with its own label and need', (key) => {
    const stored = { fields: [{ name: key, label: 'Who', label_bn: 'কে', type: 'text', required: false }] };
    const config = parseFulfillmentConfig(stored, 'TOPUP');
    expect(config).toEqual({
      mode: 'TOPUP',
      identifier: { key, label: 'Who', labelBn: 'কে', required: false },
      fields: [{ name: key, label: 'Who', labelBn: 'কে', type: 'text', required: false }],
    });
  });

  it('keeps supporting fields, their patterns and options, in stored order', () => {
    const zone = {
      name: 'zone_id',
      label: 'Zone',
      type: 'select',
      required: true,
      pattern: '[0-9]+',
      options: ['1', { value: '2', label: 'Two', label_bn: 'দুই' }, { label: 'no value' }, 5],
    };
    const { fields } = parseFulfillmentConfig(
      { fields: [zone, { name: 'player_id' }, { name: 'region' }] },
      'TOPUP',
    );
    expect(fields).toEqual([
      {
        name: 'zone_id',
        label: 'Zone',
        type: 'select',
        required: true,
        pattern: '[0-9]+',
        options: [
          { value: '1', label: '1' },
          { value: '2', label: 'Two', labelBn: 'দুই' },
        ],
      },
      { name: 'player_id', label: 'Player ID', labelBn: 'প্লেয়ার আইডি', type: 'text', required: true },
      { name: 'region', label: 'Region', type: 'text', required: false },
    ]);
  });

  it('drops a pattern that cannot be run', () => {
    const stored = {
      fields: [
        { name: 'uid', pattern: '[0-9' },
        { name: 'zone', pattern: '[0-9]{2}' },
      ],
    };
    const { fields } = parseFulfillmentConfig(stored, 'TOPUP');
    expect(fields.map(({ pattern }) => pattern)).toEqual([undefined, '[0-9]{2}']);
  });

  it('puts email in front when only supporting fields are declared', () => {
    expect(names({ fields: [{ name: 'region', label: 'Region', type: 'text', required: true }] })).toEqual([
      'email',
      'region',
    ]);
  });

  it.each(
    IDENTIFIER_KEYS.flatMap((first) =>
      IDENTIFIER_KEYS.filter((other) => other !== first).map((other) => [first, other]),
    ),
  )('keeps %s and drops %s when both are stored', (first, other) => {
    const stored = { fields: [{ name: 'zone' }, { name: first }, { name: 'server' }, { name: other }] };
    expect(names(stored)).toEqual(['zone', first, 'server']);
    expect(parseFulfillmentConfig(stored, 'CODE').identifier.key).toBe(first);
  });

  it('keeps the first of two fields with one name', () => {
    const stored = {
      fields: [
        { name: 'uid', label: 'First' },
        { name: 'uid', label: 'Second' },
        { name: 'zone' },
        { name: 'zone' },
      ],
    };
    expect(names(stored)).toEqual(['uid', 'zone']);
    expect(parseFulfillmentConfig(stored, 'CODE').identifier.label).toBe('First');
  });

  it('translates the legacy arrays', () => {
    const stored = {
      required_fields: ['player_id', 'zone_id'],
      optional_fields: ['nick_name', ' ', 4],
      field_labels: { player_id: 'Character ID', nick_name: 'Nick' },
      field_types: { zone_id: 'number' },
    };
    expect(parseFulfillmentConfig(stored, 'TOPUP')).toEqual({
      mode: 'TOPUP',
      identifier: { key: 'player_id', label: 'Character ID', required: true },
      fields: [
        { name: 'player_id', label: 'Character ID', type: 'text', required: true },
        { name: 'zone_id', label: 'Zone id', type: 'number', required: true },
        { name: 'nick_name', label: 'Nick', type: 'text', required: false },
      ],
    });
  });

  it('keeps one identifier of legacy rows too, an optional one as optional', () => {
    expect(names({ required_fields: ['uid', 'email'], optional_fields: ['account_id'] })).toEqual(['uid']);
    const optional = parseFulfillmentConfig({ optional_fields: ['account_id'] }, 'TOPUP');
    expect(optional.identifier).toEqual({
      key: 'account_id',
      label: 'Account ID',
      labelBn: 'অ্যাকাউন্ট আইডি',
      required: false,
    });
  });

  it('prefers fields[] where a row has both shapes, and the legacy arrays where fields[] is empty', () => {
    expect(names({ fields: [{ name: 'uid' }], required_fields: ['player_id'] })).toEqual(['uid']);
    expect(names({ fields: [], required_fields: ['player_id'] })).toEqual(['player_id']);
  });

  it('always has exactly one identifier, which is among the fields, whatever is stored', () => {
    const name = fc.constantFrom(...IDENTIFIER_KEYS, 'zone', 'region', '', ' email ');
    const field = fc.record(
      { name, label: fc.string(), type: fc.string(), required: fc.boolean() },
      { requiredKeys: [] },
    );
    const stored = fc.record(
      {
        fields: fc.oneof(fc.array(fc.oneof(field, fc.anything())), fc.anything()),
        required_fields: fc.oneof(fc.array(name), fc.anything()),
        optional_fields: fc.array(name),
        field_labels: fc.anything(),
        field_types: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(stored, fc.anything()), (any) => {
        const config = parseFulfillmentConfig(any, 'CODE');
        const found = config.fields.filter((each) => isIdentifierKey(each.name));
        expect(found).toHaveLength(1);
        expect(found[0]).toMatchObject({ name: config.identifier.key, required: config.identifier.required });
        expect(new Set(config.fields.map((each) => each.name)).size).toBe(config.fields.length);
        for (const each of config.fields) expect(each.label !== '' && each.type !== '').toBe(true);
      }),
    );
  });
});
