import { describe, expect, it } from 'vitest';

import { mergePartnerFields } from './merge-fields-rules.ts';

const own = [
  { name: 'player_id', label: 'Player ID', type: 'text', required: true },
  { name: 'region', label: 'Server', type: 'select', required: false },
];
const isIdentifier = (name: string): boolean => ['email', 'player_id', 'account_id', 'uid'].includes(name);
const declared = (name: string, required = true) => ({
  name,
  label: name.toUpperCase(),
  type: 'text',
  required,
});

describe('fields that partners declare', () => {
  it('are merged in as required entries after the product’s own', () => {
    expect(mergePartnerFields(own, [declared('zone')], isIdentifier)).toEqual([
      ...own,
      { name: 'zone', label: 'ZONE', type: 'text', required: true },
    ]);
  });

  it('make an entry of the product required, under the product’s label', () => {
    expect(mergePartnerFields(own, [declared('region')], isIdentifier)[1]).toEqual({
      name: 'region',
      label: 'Server',
      type: 'select',
      required: true,
    });
  });

  it('appear once, however many partners declare them, and not at all when nobody needs them', () => {
    const fields = mergePartnerFields(
      own,
      [declared('zone'), declared('zone'), declared('nick', false)],
      isIdentifier,
    );
    expect(fields.map(({ name }) => name)).toEqual(['player_id', 'region', 'zone']);
  });

  it('never bring a second identifier', () => {
    expect(mergePartnerFields(own, [declared('email'), declared('player_id')], isIdentifier)).toEqual(own);
  });
});
