import { once } from 'node:events';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { createTestDatabase } from '../../../../test/support/test-database.ts';
import type { TestDatabase } from '../../../../test/support/test-database.ts';
import { systemRandom } from '../../../platform/random.ts';
import { systemClock } from '../../../platform/time.ts';
import { exportCodes } from './export-codes.ts';
import { generateCodes } from './generate-codes.ts';

let db: TestDatabase;
let batch: { batchId: number; discountId: number };
const actor = { adminId: 0, sessionId: 's', ip: '192.0.2.1', userAgent: null, requestId: 'r' };
const entries: string[] = [];

beforeAll(async () => {
  db = await createTestDatabase();
  const { rows } = await db.query<{ batchId: number; discountId: number; adminId: number }>(
    `WITH admin AS (INSERT INTO admins (email, name, password_hash) VALUES ('a@example.com', 'A', 'x') RETURNING id),
     discount AS (INSERT INTO discounts (code, name, discount_type, value_hundredths)
                  VALUES ('RULE', 'Rule', 'FIXED', 100) RETURNING id)
     INSERT INTO discount_batches (discount_id, code_length, wanted, created_by)
     SELECT discount.id, 10, 12000, admin.id FROM admin, discount
     RETURNING id AS "batchId", discount_id AS "discountId", created_by AS "adminId"`,
  );
  const [row] = rows;
  if (!row) throw new Error('no batch');
  batch = { batchId: row.batchId, discountId: row.discountId };
  actor.adminId = row.adminId;
});
afterAll(() => db.drop());

const start = () =>
  exportCodes(
    { db, clock: systemClock, recordAudit: async (_, entry) => void entries.push(entry.action) },
    batch,
    actor,
  );
const isExported = async (): Promise<boolean> =>
  (await db.query('SELECT FROM discount_batches WHERE exported_at IS NOT NULL')).count === 1;

it('refuses a batch that is not finished', async () => {
  await expect(start()).rejects.toMatchObject({ code: 'CONFLICT', data: { type: 'CodesNotReady' } });
  await generateCodes({ db, random: systemRandom }, batch.batchId);
});

it('counts a download that broke off as none', async () => {
  const broken = await start();
  await expect(start()).rejects.toMatchObject({ data: { type: 'CodesAlreadyExported' } });
  await once(broken, 'readable');
  broken.read();
  broken.destroy();
  await expect.poll(isExported).toBe(false);
});

it('hands out every code in pages, once', async () => {
  const lines = (await (await start()).toArray()).join('').trimEnd().split('\r\n');
  expect(new Set(lines).size).toBe(12_001);
  await expect(start()).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await isExported()).toBe(true);
  expect(entries).toEqual(['discounts:export_codes', 'discounts:export_codes']);
});
