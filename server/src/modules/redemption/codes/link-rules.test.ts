import { describe, expect, it } from 'vitest';

import { readBaseUrl, redeemUrl } from './link-rules.ts';

describe('links', () => {
  it.each([
    ['https://shop.example', 'https://shop.example/redeem/ABC'],
    ['https://shop.example/', 'https://shop.example/redeem/ABC'],
    ['https://shop.example/promo//', 'https://shop.example/promo/redeem/ABC'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/redeem/ABC'],
  ])('from %s lead to %s', (baseUrl, url) => {
    expect(redeemUrl(readBaseUrl(baseUrl), 'ABC')).toBe(url);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://shop.example',
    'shop.example',
    '//shop.example',
    'https://user:secret@shop.example',
    'https://shop.example/?next=',
    'https://shop.example/#',
    'https://shop.example/#x',
    '',
  ])('are not made from %j', (baseUrl) => {
    const read = () => readBaseUrl(baseUrl);
    if (baseUrl.endsWith('/#')) expect(read()).toBe('https://shop.example');
    else expect(read).toThrow('base_url');
  });
});
