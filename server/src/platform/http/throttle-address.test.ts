import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { limitAddress, neighbourhoodOf } from './throttle-address.ts';

describe('the address that limits count by', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
  ])('of %s is %s', (ip, counted) => {
    expect(limitAddress(ip)).toBe(counted);
  });

  it('is one for all of a /64 and another for the next', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
    const groups = fc.array(group, { minLength: 8, maxLength: 8 });
    const sameNet = fc.property(groups, groups, (one, two) => {
      const beside = [...one.slice(0, 4), ...two.slice(4)];
      return limitAddress(one.join(':')) === limitAddress(beside.join(':'));
    });
    expect(() => fc.assert(sameNet)).not.toThrow();
    expect(limitAddress('2001:db8:0:1::1')).not.toBe(limitAddress('2001:db8:0:2::1'));
  });
});

describe('the neighbourhood', () => {
  it.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['::ffff:203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2::9', '2001:db8:1::/48'],
  ])('of %s is %s', (ip, neighbourhood) => {
    expect(neighbourhoodOf(ip)).toBe(neighbourhood);
  });
});
