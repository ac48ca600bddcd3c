import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { fill, fillPath, valueAt } from './template.ts';

const values = { reference: 'R-1', quantity: 2, input: { player_id: '7/../8', zone: 'a b' } };

describe('templates of a partner’s description', () => {
  it('keep the type of a value that stands alone, and write it as text inside a text', () => {
    expect(fill({ n: '{quantity}', who: '{input}', note: 'x{quantity}y', fixed: 1 }, values)).toEqual({
      n: 2,
      who: values.input,
      note: 'x2y',
      fixed: 1,
    });
  });

  it('leave null or nothing where the value is missing', () => {
    expect(fill(['{nobody}', 'a{nobody}b'], values)).toEqual([null, 'ab']);
  });

  it('never let a value out of its segment of the path', () => {
    expect(fillPath('/purchases/{input.player_id}', values)).toBe('/purchases/7%2F..%2F8');
    expect(fillPath('/purchases/{dots}', { dots: '..' })).toBe('/purchases/');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (player) => {
        const path = fillPath('/p/{player}', { player });
        expect(new URL(`https://partner.example${path}`).pathname).toMatch(/^\/p\/[^/]*$/);
      }),
    );
  });

  it('find values by dotted path, in lists too, and nothing on the prototype', () => {
    expect(valueAt({ codes: [{ number: 'N' }] }, 'codes.0.number')).toBe('N');
    expect(valueAt({ a: 'text' }, 'a.length')).toBeUndefined();
    expect(valueAt({}, 'constructor')).toBeUndefined();
  });
});
