import { describe, expect, it } from 'vitest';

import { asReason, isWebAddress, ourState, parseObject, readAnswer, text } from './gateway-answer.ts';
import type { StateTable } from './gateway-answer.ts';

describe('ourState', () => {
  const table: StateTable = { success: 'confirmed' };

  it('knows a state in any letter case and with space around it', () => {
    expect([' Success\n', 'SUCCESS', 'success'].map((state) => ourState(table, state))).toEqual([
      'confirmed',
      'confirmed',
      'confirmed',
    ]);
  });

  it.each(['', 'toString', 'constructor', '__proto__', 'hasOwnProperty', 'successful'])(
    'knows no state %j',
    (state) => {
      expect(ourState(table, state)).toBeUndefined();
    },
  );
});

describe('readAnswer', () => {
  const answer = (status: number, body: string) =>
    readAnswer({ status, text: body, contentType: 'text/html' });

  it('reads a JSON object', () => {
    expect(answer(200, '{"status":"VALID"}')).toEqual({ status: 'VALID' });
  });

  it.each(['', '<h1>Maintenance</h1>', '{"status":"VALID"', '[]', 'null', '"VALID"', '42'])(
    'refuses %j',
    (body) => {
      expect(() => answer(200, body)).toThrow('no JSON object');
    },
  );

  it.each([201, 204, 302, 400, 401, 500])('refuses HTTP %i whatever it says', (status) => {
    expect(() => answer(status, '{"status":"VALID"}')).toThrow(`HTTP ${status}`);
  });
});

describe('text', () => {
  it('reads texts and numbers, and nothing else', () => {
    expect(['a', 1.5, true, null, undefined, {}, ['a']].map(text)).toEqual(['a', '1.5', '', '', '', '', '']);
  });
});

describe('asReason', () => {
  it('takes the first that says something, and no more than 255 characters of it', () => {
    expect(asReason('', ' \n', 'Declined\n')).toBe('Declined');
    expect(asReason('x'.repeat(999))).toHaveLength(255);
    expect(asReason('')).toBe('no reason given');
  });
});

describe('isWebAddress', () => {
  it('sends no browser anywhere but to a web page', () => {
    const addresses = [
      'https://a.example/p',
      'http://a.example',
      'javascript:alert(1)',
      '/relative',
      '',
      'data:,x',
    ];
    expect(addresses.map(isWebAddress)).toEqual([true, true, false, false, false, false]);
  });
});

describe('parseObject', () => {
  it('finds nothing in what is no object', () => {
    expect(['{}', '[]', 'null', '', '{'].map(parseObject)).toEqual([
      {},
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
