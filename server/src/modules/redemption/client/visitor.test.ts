import { describe, expect, it } from 'vitest';

import { visitorOf } from './visitor.ts';

const visitor = (ip: string, userAgent?: string) =>
  visitorOf({ ip, headers: userAgent === undefined ? {} : { 'user-agent': userAgent } });

describe('a visitor', () => {
  it('is an IPv4 address, however it is written', () => {
    expect(visitor('192.0.2.1')).toEqual({ ip: '192.0.2.1', ipKey: '192.0.2.1', userAgent: null });
    expect(visitor('::ffff:192.0.2.1')).toEqual({ ip: '192.0.2.1', ipKey: '192.0.2.1', userAgent: null });
  });

  it('is the /64 of an IPv6 address, ten thousand of them one', () => {
    const keys = Array.from({ length: 10_000 }, (_, n) => visitor(`2001:db8::${n.toString(16)}:1`).ipKey);
    expect(new Set(keys).size).toBe(1);
    expect(visitor('2001:db8::9').ip).toBe('2001:db8::9');
  });

  it('keeps no more of a header than fits', () => {
    expect(visitor('192.0.2.1', 'x'.repeat(5_000)).userAgent).toHaveLength(300);
  });
});
