import { afterAll, beforeAll, describe, expect, it } from 'vitest';

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
import type { Customer } from '../support/shop.ts';
import { startServiceProcess } from '../support/service-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { freePort, startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';

/** Holds database, sandbox and stock; the service under test is a process of its own on the same ones. */
let world: TestService;
let customer: Customer;
let port: number;
let running: ServiceProcess | undefined;

beforeAll(async () => {
  world = await startTestService();
  customer = await aCustomer(world);
  port = await freePort();
});
afterAll(async () => {
  await running?.kill('SIGKILL');
  await world.close();
});

// On the same port each time: callbacks of earlier orders still find it.
async function startProcess(): Promise<void> {
  running = await startServiceProcess(world, port);
}

async function kill(signal: NodeJS.Signals): Promise<number | null> {
  if (!running) throw new Error('nothing is running');
  return running.kill(signal);
}

const place = async (prefix: string) => {
  const { variantId } = await aVariant(world, { codes: someCodes(prefix, 1) });
  return (await order({ ...world, url: `http://127.0.0.1:${port}` }, customer, { variantId })).data;
};

const statusOf = async (id: number): Promise<string> => (await readOrder(world, customer, id)).data.status;

describe('the service killed with -9', () => {
  it('right after a callback answered: the code arrives after the next start, once', async () => {
    for (let round = 0; round < 3; round += 1) {
      await startProcess();
      const placed = await place(`KILL${round}`);
      await pay(world, placed);
      await kill('SIGKILL');
      await startProcess();
      await expect.poll(() => statusOf(placed.id), { timeout: 40_000, interval: 200 }).toBe('SUCCEEDED');
      const mails = await mailsTo(world, customer.email);
      expect(mails.filter((mail) => mail.subject.includes(placed.order_number))).toHaveLength(1);
      await kill('SIGKILL');
    }
  }, 180_000);

  it('while the mail server is slow: the code arrives, with one Message-ID', async () => {
    await startProcess();
    const placed = await place('SLOW');
    await fault(world, { target: 'smtp', fault: 'timeout' });
    await pay(world, placed);
    await expect
      .poll(
        async () =>
          (await world.db.query('SELECT state FROM mail_messages WHERE order_id = $1', [placed.id])).rows,
      )
      .toEqual([{ state: 'SENDING' }]);
    await kill('SIGKILL');
    await control(world, '/faults', undefined, 'DELETE');
    await world.db.query(
      `UPDATE mail_messages SET claimed_until = now(), transmitting = false WHERE order_id = $1 AND state = 'SENDING'`,
      [placed.id],
    );
    await startProcess();
    await expect.poll(() => statusOf(placed.id), { timeout: 40_000, interval: 200 }).toBe('SUCCEEDED');
    const mails = (await mailsTo(world, customer.email)).filter((mail) =>
      mail.subject.includes(placed.order_number),
    );
    expect(new Set(mails.map((mail) => mail.messageId)).size).toBe(1);
  }, 90_000);

  it('is not needed: SIGTERM ends it cleanly', async () => {
    expect(await kill('SIGTERM')).toBe(0);
  }, 30_000);
});

it('leaves every invariant standing', async () => {
  await world.drain();
  await expectInvariants(world.db);
});
