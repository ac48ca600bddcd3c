import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { readConfig } from './config.ts';

describe('the configuration', () => {
  it('needs nothing: a demo on 127.0.0.1:3000', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      isDemo: true,
      orderTtlSeconds: 1800,
    });
    expect(readConfig({}).publicUrl).toBe('http://127.0.0.1:3000');
  });

  it('reads durations, lists and gateways', () => {
    const config = readConfig({
      ORDER_TTL: '45s',
      TRUST_PROXY: '10.0.0.0/8, 127.0.0.1',
      GATEWAY_AGGREGATOR_STORE_ID: 'shop',
      GATEWAY_WALLET_DIRECT_MERCHANT_ID: '1',
    });
    expect(config.orderTtlSeconds).toBe(45);
    expect(config.trustProxy).toEqual(['10.0.0.0/8', '127.0.0.1']);
    expect(config.gateways).toEqual({
      aggregator: { store_id: 'shop' },
      wallet_direct: { merchant_id: '1' },
    });
  });

  it('tells everything that is wrong at once, and guesses what was meant', () => {
    const reading = () =>
      readConfig({ PORT: 'many', ORDER_TTL: 'soon', SMTP_URI: 'x', GATEWAY_STRIPE_KEY: 'x', DEMO: 'maybe' });
    expect(reading).toThrow(/PORT=many must be a number from 0 to 65535/);
    expect(reading).toThrow(/ORDER_TTL=soon/);
    expect(reading).toThrow(/SMTP_URI is not a variable of this program; did you mean SMTP_URL\?/);
    expect(reading).toThrow(/GATEWAY_STRIPE_KEY is not a variable/);
    expect(reading).toThrow(/DEMO=maybe must be on or off/);
  });

  it('takes secrets from files', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'secret-')), 'password');
    writeFileSync(path, 'from-a-file\n');
    expect(readConfig({ ADMIN_PASSWORD_FILE: path }).adminPassword).toBe('from-a-file');
    expect(() => readConfig({ ADMIN_PASSWORD_FILE: '/nowhere/at/all' })).toThrow(
      'ADMIN_PASSWORD_FILE: cannot read',
    );
  });

  it('refuses production on demo credentials, generated keys or a sandbox', () => {
    const production = { NODE_ENV: 'production' };
    expect(() => readConfig(production)).toThrow(
      /DATABASE_URL must be set in production[\s\S]*VAULT_KEYS must be set/,
    );
    const whole = {
      ...production,
      DATABASE_URL: 'postgres://db',
      PUBLIC_URL: 'https://vouchers.example',
      SMTP_URL: 'smtp://mail',
      METRICS_TOKEN: 'm',
      VAULT_KEYS: 'k:x',
      VAULT_DIGEST_KEY: 'x',
      TOKEN_KEYS_CLIENT: '[]',
      TOKEN_KEYS_ADMIN: '[]',
      ADMIN_PASSWORD: 'a-password-of-our-own',
    };
    expect(readConfig(whole).isDemo).toBe(false);
    expect(() => readConfig({ ...whole, DEMO: 'on' })).toThrow('DEMO must be off in production');
    expect(() => readConfig({ ...whole, SANDBOX_URL: 'http://x' })).toThrow('SANDBOX_URL must not be set');
    expect(() => readConfig({ ...whole, ADMIN_PASSWORD: 'admin-demo-password' })).toThrow(
      'must not be the demo one',
    );
  });
});
