import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { IDENTIFIER_KEYS, parseFulfillmentConfig } from './fulfillment-config-rules.ts';
import type { FulfillmentConfig } from './fulfillment-config-rules.ts';
import { checkFulfillmentInput } from './check-fulfillment-input.ts';
import { isEmailAddress } from './fulfillment-schema-rules.ts';

const email = parseFulfillmentConfig({}, 'CODE');
const game = parseFulfillmentConfig(
  {
    fields: [
      { name: 'player_id', required: true, pattern: '[0-9]+' },
      { name: 'region', required: false, options: [{ value: 'asia' }, { value: 'europe' }] },
      { name: 'level', type: 'number', required: false },
      { name: 'contact', type: 'tel', required: false },
      { name: '__proto__', required: false },
    ],
  },
  'TOPUP',
);
const messageOf = (expected: FulfillmentConfig, given: Record<string, string>, fallback?: string): string => {
  const checked = checkFulfillmentInput(expected, given, fallback);
  return checked.kind === 'refused' ? checked.problem.message : `accepted ${JSON.stringify(checked.input)}`;
};

describe('fulfillment input (interface part 4, rules 4 and 5)', () => {
  it('refuses with the messages of part 7', () => {
    expect(messageOf(game, { player_id: '1', uid: '2' })).toBe('only one recipient identifier is allowed');
    expect(messageOf(game, { account_id: '2' })).toBe(
      'this product expects player_id but received account_id',
    );
    expect(messageOf(game, {})).toBe('Missing required fulfillment input: player_id');
    expect(messageOf(email, {})).toBe('Missing required fulfillment input: email');
  });

  it('gives an e-mail product the order’s address when it names none, and others never', () => {
    expect(messageOf(email, {}, 'a@b.example')).toBe('accepted {"email":"a@b.example"}');
    expect(messageOf(email, { email: 'own@b.example' }, 'a@b.example')).toBe(
      'accepted {"email":"own@b.example"}',
    );
    expect(messageOf(game, { player_id: '1' }, 'a@b.example')).toBe('accepted {"player_id":"1"}');
  });

  it('takes blank values for missing ones and checks patterns and options', () => {
    expect(messageOf(game, { player_id: '  ' })).toContain('Missing required');
    expect(messageOf(game, { player_id: 'abc' })).toContain('does not have the form');
    expect(messageOf(game, { player_id: '1', region: 'moon' })).toContain('must be one of: asia, europe');
    expect(messageOf(email, { email: 'nobody' })).toContain('valid e-mail');
  });

  it('checks what the type of a supporting field says, and how long a value is', () => {
    expect(messageOf(game, { player_id: '1', level: 'ten' })).toBe('level must be a number');
    expect(messageOf(game, { player_id: '1', contact: 'call me' })).toBe(
      'contact must be a telephone number',
    );
    expect(messageOf(game, { player_id: '1', level: '-7.5', contact: '+880 1711-000000' })).toContain(
      'accepted',
    );
    expect(messageOf(game, { player_id: '1'.repeat(256) })).toBe('player_id must be at most 255 characters');
  });

  it('names the identifier first when several fields are wrong', () => {
    expect(messageOf(game, { player_id: 'abc', region: 'moon' })).toContain('player_id does not');
    expect(messageOf(game, { region: 'moon' })).toContain('Missing required fulfillment input: player_id');
  });

  it('keeps a declared field whatever its name', () => {
    const given = JSON.parse('{"player_id":"1","__proto__":"kept"}') as Record<string, string>;
    expect(messageOf(game, given)).toBe('accepted {"player_id":"1","__proto__":"kept"}');
  });

  it('never stores a key the product does not declare, nor a second identifier, whatever is sent', () => {
    const anything = fc.dictionary(
      fc.oneof(fc.constantFrom(...IDENTIFIER_KEYS, 'region', '__proto__'), fc.string()),
      fc.string(),
    );
    fc.assert(
      fc.property(anything, fc.constantFrom(email, game), (given, expected) => {
        const checked = checkFulfillmentInput(expected, given, undefined);
        if (checked.kind === 'refused') return;
        const allowed = new Set([expected.identifier.key, ...expected.fields.map((field) => field.name)]);
        for (const name of Object.keys(checked.input)) expect(allowed).toContain(name);
        expect(IDENTIFIER_KEYS.filter((key) => key in checked.input)).toEqual([expected.identifier.key]);
      }),
      { numRuns: 1000 },
    );
  });

  it('knows an address from something that would break a mail header', () => {
    expect(isEmailAddress('someone@example.com')).toBe(true);
    for (const text of [
      'a@b',
      'a b@c.de',
      'a@b.de\nBcc: x@y.z',
      '<a@b.de>',
      'a@b.de,c@d.ef',
      `${'a'.repeat(250)}@b.de`,
    ]) {
      expect([text, isEmailAddress(text)]).toEqual([text, false]);
    }
  });
});
