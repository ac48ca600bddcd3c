import { randomUUID } from 'node:crypto';

import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { expectInvariants } from '../support/invariants.ts';
import {
  aCustomer,
  aVariant,
  control,
  fault,
  mailsTo,
  order,
  pay,
  readOrder,
  someCodes,
} from '../support/shop.ts';
import type { Customer, OrderAnswer } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

let service: TestService;
let customer: Customer;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  customer = await aCustomer(service);
});

async function aPaidOrder(): Promise<OrderAnswer> {
  const { variantId } = await aVariant(service, { codes: someCodes(`SMTP-${randomUUID()}`, 2) });
  const placed = (await order(service, customer, { variantId, quantity: 2 })).data;
  await pay(service, placed);
  return placed;
}

interface StoredLetter {
  readonly state: string;
  readonly waits: number;
  readonly attempts: number;
}

async function letterOf(orderId: number): Promise<StoredLetter | undefined> {
  const { rows } = await service.db.query<StoredLetter>(
    `SELECT state, attempts, extract(epoch FROM not_before - now())::int AS waits FROM mail_messages WHERE order_id = $1`,
    [orderId],
  );
  return rows[0];
}

/** As if all waiting were over. */
async function passTime(): Promise<void> {
  await service.db.query(
    `UPDATE mail_messages SET not_before = now(), claimed_until = CASE WHEN state = 'SENDING' THEN now() END`,
  );
  await service.db.query('UPDATE graphile_worker._private_jobs SET run_at = now()');
  await service.drain();
}

describe('the consolidated e-mail (reliability 5.4)', () => {
  it('is lost by no mail server that is down for a while, and sent once when it is back', async () => {
    await fault(service, { target: 'smtp', fault: 'error_500', times: 100 });
    const placed = await aPaidOrder();
    await service.drain();
    const waits: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      const letter = await letterOf(placed.id);
      expect(letter).toMatchObject({ state: 'QUEUED', attempts: n + 1 });
      waits.push(letter?.waits ?? -1);
      await passTime();
    }
    expect(
      waits.every((wait, index) => wait <= 60 && (index === 0 || wait >= (waits[index - 1] ?? 0) - 1)),
    ).toBe(true);
    expect((await readOrder(service, customer, placed.id)).data).toMatchObject({
      status: 'PENDING',
      status_label: 'Payment received',
      dispatched_email: null,
    });
    await control(service, '/faults', undefined, 'DELETE');
    await passTime();
    expect((await readOrder(service, customer, placed.id)).data).toMatchObject({
      status: 'SUCCEEDED',
      dispatched_email: customer.email,
    });
    expect(await mailsTo(service, customer.email)).toHaveLength(1);
  });

  it('is repeated with its own Message-ID when the connection is cut after the text', async () => {
    await fault(service, { target: 'smtp', fault: 'unknown_result' });
    const placed = await aPaidOrder();
    await service.drain();
    expect(await letterOf(placed.id)).toMatchObject({ state: 'UNKNOWN' });
    await service.drain();
    expect(await mailsTo(service, customer.email)).toHaveLength(1);
    expect((await letterOf(placed.id))?.waits).toBeGreaterThan(290);
    await passTime();
    const mails = await mailsTo(service, customer.email);
    expect(mails).toHaveLength(2);
    expect(mails[0]).toEqual({ ...mails[1], receivedAt: expect.any(String) });
    expect((await readOrder(service, customer, placed.id)).data.status).toBe('SUCCEEDED');
  });

  it.each([
    ['before the text went out, it goes out at once', false, 'QUEUED', 1],
    ['after the text went out, it is repeated after a while', true, 'UNKNOWN', 1],
  ] as const)('survives its sender: dead %s', async (_, transmitting, state, letters) => {
    const placed = await aPaidOrder();
    await fault(service, { target: 'smtp', fault: 'error_500' });
    await service.drain();
    await service.db.query(
      `UPDATE mail_messages SET state = 'SENDING', claim_token = gen_random_uuid(), transmitting = $2,
              claimed_until = now() - interval '1 second', not_before = now()
       WHERE order_id = $1`,
      [placed.id, transmitting],
    );
    await service.db.query('UPDATE graphile_worker._private_jobs SET run_at = now()');
    await service.drain();
    if (state === 'UNKNOWN') {
      expect(await letterOf(placed.id)).toMatchObject({ state: 'UNKNOWN' });
      await passTime();
    }
    expect(await letterOf(placed.id)).toMatchObject({ state: 'SENT' });
    expect(await mailsTo(service, customer.email)).toHaveLength(letters);
  });

  it('ends delivered after any sequence of faults: never lost, and twice only where acceptance was unknown', async () => {
    const faults = fc.array(fc.constantFrom('error_500', 'unknown_result', 'none'), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(faults, async (sequence) => {
        customer = await aCustomer(service);
        const placed = await aPaidOrder();
        for (const kind of sequence) {
          if (kind !== 'none') await fault(service, { target: 'smtp', fault: kind });
          await passTime();
        }
        await control(service, '/faults', undefined, 'DELETE');
        await passTime();
        const sentBeforeNone = sequence.includes('none')
          ? sequence.slice(0, sequence.indexOf('none'))
          : sequence;
        const unknown = sentBeforeNone.filter((kind) => kind === 'unknown_result').length;
        const mails = await mailsTo(service, customer.email);
        expect(mails).toHaveLength(1 + unknown);
        expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1);
        expect((await readOrder(service, customer, placed.id)).data.status).toBe('SUCCEEDED');
      }),
      { numRuns: 10 },
    );
    await expectInvariants(service.db);
  });
});
