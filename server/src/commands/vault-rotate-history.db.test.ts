import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../test/support/test-database.ts';
import type { TestDatabase } from '../../test/support/test-database.ts';
import { createSecretBox } from '../platform/secret-box.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { registerVaultRotation } from './vault-rotate.ts';

const key = (id: string, fill: number) => ({ id, key: Buffer.alloc(32, fill) });
const digesting = Buffer.alloc(32, 9);
const old = createSecretBox({ sealing: [key('2026-05', 1)], digesting });
const both = createSecretBox({ sealing: [key('k2', 2), key('2026-05', 1)], digesting });
const fresh = createSecretBox({ sealing: [key('k2', 2)], digesting });

const CALLS = 130;
const ATTEMPTS = 1_203;
let db: TestDatabase;

/** Rows that refer to others which the rotation does not look at. */
const insertAlone = (table: string, columns: string, rows: string) =>
  db.query(`SET session_replication_role = replica; INSERT INTO ${table} (${columns}) ${rows};
    SET session_replication_role = DEFAULT`);

const sealedHex = (plain: string, context: string): string =>
  `decode('${old.seal(plain, context).toString('hex')}', 'hex')`;
const valuesOf = (count: number, row: (n: number) => string): string =>
  `VALUES ${Array.from({ length: count }, (_, n) => `(${row(n)})`).join(', ')}`;

beforeAll(async () => {
  db = await createTestDatabase();
  await insertAlone(
    'partner_api_calls',
    'transaction_id, method, url, http_status, response_sealed, took_ms',
    valuesOf(
      CALLS,
      (n) =>
        `7, 'POST', 'https://partner', 200, ${sealedHex(`{"code":"${n}"}`, 'partner_api_calls.response')}, 12`,
    ),
  );
  await insertAlone(
    'partner_api_calls',
    'transaction_id, method, url, took_ms',
    "VALUES (7, 'POST', 'https://partner', 9)",
  );
  await insertAlone(
    'redemption_attempts',
    'token_sealed, token_digest, action, outcome, ip, ip_key',
    valuesOf(
      ATTEMPTS,
      (n) =>
        `${sealedHex(`TOKEN-${n}`, 'redemption_attempts.token')}, 'd', 'lookup', 'unknown_code', '192.0.2.1', '192.0.2.1'`,
    ),
  );
  await insertAlone(
    'partner_tokens',
    'partner_id, audience, token_sealed, expires_at',
    valuesOf(
      2,
      (n) => `3, 'audience-${n}', ${sealedHex(`granted-${n}`, `partner_tokens:3:audience-${n}`)}, now()`,
    ),
  );
  await insertAlone(
    'gateway_tokens',
    'key, token, expires_at',
    valuesOf(2, (n) => `'wallet-${n}', ${sealedHex(`granted-${n}`, `gateway_tokens:wallet-${n}`)}, now()`),
  );
});
afterAll(() => db.drop());

async function rotate(box: SecretBox): Promise<{ out: string; exitCode: unknown }> {
  let out = '';
  const program = new Command();
  const open = async () => ({ db, box, close: async () => undefined });
  registerVaultRotation(program, open, { out: (text) => void (out += text), err: () => undefined });
  await program.parseAsync(['node', 'program', 'vault', 'rotate-keys']);
  const { exitCode } = process;
  process.exitCode = 0;
  return { out, exitCode };
}

async function openAll(
  box: SecretBox,
  column: string,
  contextOf: (row: { key: string }) => string,
): Promise<string[]> {
  const [table, name] = column.split('.');
  const keys =
    table === 'partner_tokens'
      ? `partner_id || ':' || audience`
      : table === 'gateway_tokens'
        ? 'key'
        : `id::text`;
  const { rows } = await db.query<{ sealed: Buffer; key: string }>(
    `SELECT ${name} AS sealed, ${keys} AS key FROM ${table} WHERE ${name} IS NOT NULL ORDER BY ${keys}`,
  );
  return rows.map((row) => box.open(row.sealed, contextOf(row)));
}

const everything = (box: SecretBox) =>
  Promise.all([
    openAll(box, 'partner_api_calls.response_sealed', () => 'partner_api_calls.response'),
    openAll(box, 'redemption_attempts.token_sealed', () => 'redemption_attempts.token'),
    openAll(box, 'partner_tokens.token_sealed', ({ key: row }) => `partner_tokens:${row}`),
    openAll(box, 'gateway_tokens.token', ({ key: row }) => `gateway_tokens:${row}`),
  ]);

describe('vault rotate-keys, of what is only kept', () => {
  it('seals answers of partners, typed tokens and granted ones anew, so that the old key may go', async () => {
    const before = await everything(old);
    expect(before.map((values) => values.length)).toEqual([CALLS, ATTEMPTS, 2, 2]);
    const rotated = await rotate(both);
    expect(rotated.out).toContain(`partner_api_calls: ${CALLS} value(s) sealed with k2`);
    expect(rotated.out).toContain(`redemption_attempts: ${ATTEMPTS} value(s) sealed with k2`);
    expect(rotated.out).toContain('the other keys may go');
    expect(rotated.exitCode).toBe(0);
    expect(await everything(fresh)).toEqual(before);
    expect((await rotate(both)).out).toContain('redemption_attempts: 0 value(s)');
  });

  it('goes on where it was stopped', async () => {
    await db.query(
      `UPDATE redemption_attempts SET token_sealed = ${sealedHex('TYPED', 'redemption_attempts.token')} WHERE id % 3 = 0`,
    );
    const rotated = await rotate(both);
    expect(rotated.out).toContain(`redemption_attempts: ${Math.floor(ATTEMPTS / 3)} value(s) sealed with k2`);
    expect(rotated.out).toContain('partner_api_calls: 0 value(s)');
    expect(rotated.exitCode).toBe(0);
  });

  it('changes nothing of the past but its seals: the database refuses all else', async () => {
    for (const change of [
      `UPDATE redemption_attempts SET outcome = 'redeemed'`,
      'UPDATE redemption_attempts SET token_sealed = NULL',
      `UPDATE redemption_attempts SET token_digest = 'x'`,
      'DELETE FROM redemption_attempts',
      'TRUNCATE redemption_attempts',
      `UPDATE partner_api_calls SET url = 'x'`,
      'DELETE FROM partner_api_calls',
    ])
      await expect(db.query(change)).rejects.toThrow('append-only');
  });
});
