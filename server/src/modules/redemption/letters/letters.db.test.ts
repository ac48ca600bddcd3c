import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { runOnce } from 'graphile-worker';

import { aCode, sql, startRedemption } from '../test-redemption.ts';
import type { TestRedemption } from '../test-redemption.ts';

let test: TestRedemption;
beforeAll(async () => {
  test = await startRedemption();
});
beforeEach(() => {
  test.post.letters.length = 0;
  test.post.answers = ['accepted'];
});
afterAll(() => test.close());

const redeem = (code: string, email: string | null) =>
  test.call<{ voucher_code: string }>({ path: '/redemption/redeem', body: { code, phone: '1', email } });
/** Runs the jobs that are due. */
const drain = () =>
  runOnce({
    pgPool: test.db.pool,
    taskList: Object.fromEntries(
      test.redemption.jobHandlers.map((handler) => [
        handler.name,
        (payload: unknown) => handler.run(payload),
      ]),
    ),
    noHandleSignals: true,
  });
const messages = (codeId: number) =>
  sql<{ state: string; attempts: number; recipient: string }>(
    test,
    'SELECT state, attempts, recipient FROM mail_messages WHERE redemption_code_id = $1 ORDER BY id',
    [codeId],
  );
/** Makes what waits for its next try due now. */
const dueNow = async () => {
  await sql(test, 'UPDATE mail_messages SET not_before = now()');
  await sql(test, 'UPDATE graphile_worker._private_jobs SET run_at = now()');
};

describe('the letter after a redeem', () => {
  it('goes to the address that was given, with code and instructions', async () => {
    const { code, id } = await aCode(test, { name: 'Gift', instruction_template: 'Dial *1#' });
    expect((await redeem(code, ' me@example.com ')).status).toBe(200);
    expect(test.post.letters).toEqual([]);
    await drain();
    expect(test.post.letters).toMatchObject([{ to: 'me@example.com', subject: 'Your code from Gift' }]);
    expect(test.post.letters[0]?.text).toContain('GIFT-1');
    expect(test.post.letters[0]?.text).toContain('Dial *1#');
    expect(test.post.letters[0]?.messageId).toMatch(/^<rdm\.[0-9a-f]{32}@vouchers\.example>$/);
    expect(await messages(id)).toMatchObject([{ state: 'SENT', attempts: 1 }]);
  });

  it('is not written without an address, nor for a redeem that is refused', async () => {
    const { code, id } = await aCode(test);
    await redeem(code, null);
    await test.call({
      path: '/redemption/redeem',
      body: { code, phone: '1', email: 'x@example.com' },
      ip: '192.0.2.99',
    });
    await drain();
    expect([test.post.letters, await messages(id)]).toEqual([[], []]);
  });

  it('stores no voucher code in the message or its job', async () => {
    const { code } = await aCode(test);
    await redeem(code, 'secret@example.com');
    const [row] = await sql<{ text: string }>(
      test,
      `SELECT (SELECT json_agg(m)::text FROM mail_messages m WHERE recipient = 'secret@example.com')
         || (SELECT json_agg(j)::text FROM graphile_worker._private_jobs j) AS text`,
    );
    expect(row?.text).toContain('secret@example.com');
    expect(row?.text).not.toMatch(/GIFT/);
    expect(row?.text).not.toContain(code);
    await drain();
  });

  it('undoes nothing when the mail server refuses it', async () => {
    const { code, id } = await aCode(test);
    test.post.answers = ['rejected'];
    await redeem(code, 'me@example.com');
    await drain();
    expect(await messages(id)).toMatchObject([{ state: 'REJECTED' }]);
    expect((await redeem(code, null)).body.data.voucher_code).toBe('GIFT-1');
  });

  it('is tried again until it goes out, and once only then', async () => {
    const { code, id } = await aCode(test);
    test.post.answers = ['not_sent', 'not_sent', 'accepted'];
    await redeem(code, 'me@example.com');
    for (let round = 0; round < 4; round += 1) {
      await drain();
      await dueNow();
    }
    expect(test.post.letters).toHaveLength(1);
    expect(await messages(id)).toMatchObject([{ state: 'SENT', attempts: 3 }]);
  });

  it('is repeated after an unknown end, recognisably the same', async () => {
    const { code, id } = await aCode(test);
    test.post.answers = ['unknown', 'accepted'];
    await redeem(code, 'me@example.com');
    await drain();
    expect(await messages(id)).toMatchObject([{ state: 'UNKNOWN' }]);
    await drain();
    expect(test.post.letters).toEqual([]);
    await dueNow();
    await drain();
    expect(await messages(id)).toMatchObject([{ state: 'SENT' }]);
  });

  it('is sent by one of two workers that run the same job at once', async () => {
    const { code } = await aCode(test);
    await redeem(code, 'me@example.com');
    const [message] = await sql<{ id: number }>(test, 'SELECT max(id)::int AS id FROM mail_messages');
    const [handler] = test.redemption.jobHandlers;
    await Promise.all([1, 2, 3].map(async () => handler?.run({ messageId: message?.id })));
    expect(test.post.letters).toHaveLength(1);
    await dueNow();
    await drain();
    expect(test.post.letters).toHaveLength(1);
  });

  it('comes again for another address when the code is shown again, up to three in all', async () => {
    const { code, id } = await aCode(test);
    for (const email of [
      'a@example.com',
      'A@example.com',
      'b@example.com',
      'c@example.com',
      'd@example.com',
    ]) {
      expect((await redeem(code, email)).status).toBe(200);
    }
    expect((await messages(id)).map(({ recipient }) => recipient)).toEqual([
      'a@example.com',
      'b@example.com',
      'c@example.com',
    ]);
    await drain();
    expect(test.post.letters).toHaveLength(3);
  });
});
