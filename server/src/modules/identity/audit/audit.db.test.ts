import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { startIdentity } from '../../../../test/support/test-identity.ts';
import type { TestIdentity } from '../../../../test/support/test-identity.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { verifyAuditChains } from './audit-store.ts';
import { SYSTEM, recordAudit } from './record-audit.ts';

let db: TestDatabase;
let service: TestIdentity;
let token: string;

beforeAll(async () => {
  db = await createTestDatabase();
  service = await startIdentity(db);
  const body = { email: 'root@example.com', password: 'root password' };
  await service.identity.ensureFirstAdmin(body);
  const { data } = (await service.call({ method: 'POST', path: '/admin/auth/login', body })).body;
  const { accessToken }: { accessToken: string } = data;
  token = accessToken;
});
afterAll(async () => {
  await service.app.close();
  await db.drop();
});

const record = (type: string, id: number, after: unknown = { n: id }) =>
  inTransaction(db, (tx) =>
    recordAudit(tx, {
      actor: SYSTEM,
      action: `${type}.changed`,
      resource: { type, id },
      before: null,
      after,
    }),
  );

const verify = async () => {
  const answer = await service.call({ method: 'GET', path: '/admin/audit-logs/verify', token });
  const data: {
    intact: boolean;
    streams: { stream: string; intact: boolean; first_broken_position: number }[];
  } = answer.body.data;
  return data;
};

/** As somebody would who owns the database server. */
async function tamper(sql: string): Promise<void> {
  await db.query('ALTER TABLE audit_logs DISABLE TRIGGER USER');
  await db.query(sql);
  await db.query('ALTER TABLE audit_logs ENABLE TRIGGER USER');
}

describe('the audit log', () => {
  beforeEach(async () => {
    await db.query(
      'ALTER TABLE audit_logs DISABLE TRIGGER USER; ALTER TABLE audit_streams DISABLE TRIGGER USER',
    );
    await db.query('DELETE FROM audit_logs; DELETE FROM audit_streams');
    await db.query(
      'ALTER TABLE audit_logs ENABLE TRIGGER USER; ALTER TABLE audit_streams ENABLE TRIGGER USER',
    );
  });

  it('forms one unbroken chain per kind of resource, however many write at once', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, n) => record(n % 3 === 0 ? 'order' : 'brand', n)));
    const chains = await verifyAuditChains(db, null);
    expect(chains).toMatchObject([
      { stream: 'brand', expected: 40, entries: 40, first_broken: null, reaches_head: true },
      { stream: 'order', expected: 20, entries: 20, first_broken: null, reaches_head: true },
    ]);
    expect((await verify()).intact).toBe(true);
  });

  it('has no entry of a transaction that failed, and no hole for it', async () => {
    await record('order', 1);
    const failing = inTransaction(db, async (tx) => {
      await recordAudit(tx, { actor: SYSTEM, action: 'order.lost', resource: { type: 'order', id: 2 } });
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    await record('order', 3);
    expect((await verify()).intact).toBe(true);
    const { rows } = await db.query<{ position: number }>(
      'SELECT position FROM audit_logs ORDER BY position',
    );
    expect(rows.map((row) => row.position)).toEqual([1, 2]);
  });

  it.each(['UPDATE audit_logs SET action = $$x$$', 'DELETE FROM audit_logs', 'TRUNCATE audit_logs'])(
    'is refused %s by the database',
    async (sql) => {
      await record('order', 1);
      await expect(db.query(sql)).rejects.toMatchObject({ constraint: 'audit_logs__append_only' });
    },
  );

  it.each([
    ['an entry that was changed', `UPDATE audit_logs SET after = '{"n": 9}' WHERE position = 3`, 3],
    [
      'a moment that was changed',
      `UPDATE audit_logs SET occurred_at = now() - interval '1 day' WHERE position = 2`,
      2,
    ],
    ['an entry that was removed', 'DELETE FROM audit_logs WHERE position = 2', 3],
    ['the last entry removed', 'DELETE FROM audit_logs WHERE position = 5', null],
    ['all entries removed', 'DELETE FROM audit_logs', null],
    [
      'an entry changed with its own hash made anew',
      `UPDATE audit_logs SET action = 'forged' WHERE position = 2;
       UPDATE audit_logs AS l SET hash = audit_hash(l) WHERE position = 2`,
      3,
    ],
  ])('shows %s', async (_what, sql, brokenAt) => {
    for (let n = 1; n <= 5; n += 1) await record('order', n);
    expect((await verify()).intact).toBe(true);
    await tamper(sql);
    const { intact, streams } = await verify();
    expect(intact).toBe(false);
    expect(streams[0]).toMatchObject({ stream: 'order', intact: false, first_broken_position: brokenAt });
  });

  it('hashes the same whatever the time zone of the reader, and any JSON', async () => {
    const odd = { বাংলা: ['\u0001', 1e21, 0.1, -0, null, true], nested: { z: 1, a: { ключ: '"\\' } } };
    await record('order', 1, odd);
    await db.query("SET TIME ZONE 'Asia/Dhaka'");
    expect((await verifyAuditChains(db, 'order'))[0]).toMatchObject({
      first_broken: null,
      reaches_head: true,
    });
  });

  it('masks codes and secrets at any depth, but not what is named public', async () => {
    const secrets = {
      code: 'GIFT-1',
      items: [{ pin: '1234', name: 'kept' }],
      accessToken: 't',
      voucher_codes: ['x'],
    };
    await record('order', 1, secrets);
    await inTransaction(db, (tx) =>
      recordAudit(tx, {
        actor: SYSTEM,
        action: 'discount.created',
        resource: { type: 'discount', id: 1 },
        after: { code: 'EID10', secret: 's' },
        publicNames: ['code'],
      }),
    );
    const { rows } = await db.query<{ after: unknown }>('SELECT after FROM audit_logs ORDER BY id');
    const masked = '[masked]';
    expect(rows.map((row) => row.after)).toEqual([
      { code: masked, items: [{ pin: masked, name: 'kept' }], accessToken: masked, voucher_codes: masked },
      { code: 'EID10', secret: masked },
    ]);
  });

  it('is filtered by actor, action, resource, address and time', async () => {
    await record('order', 7);
    await record('brand', 8);
    const list = async (query: string) => {
      const answer = await service.call({ method: 'GET', path: `/admin/audit-logs?${query}`, token });
      const { items }: { items: { resource_id: string }[] } = answer.body.data;
      return items.map((item) => item.resource_id);
    };
    expect(await list('resource_type=order')).toEqual(['7']);
    expect(await list('action=brand.changed')).toEqual(['8']);
    expect(await list('resource_id=8')).toEqual(['8']);
    expect(await list('')).toEqual(['8', '7']);
    expect(await list('admin_id=1')).toEqual([]);
    expect(await list('ip=203.0.113.7')).toEqual([]);
    expect(await list('to=2020-01-01T00:00:00Z')).toEqual([]);
    expect(await list('from=2020-01-01T00:00:00Z&limit=1')).toEqual(['8']);
  });
});
