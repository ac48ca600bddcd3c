import { createHmac } from 'node:crypto';

import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { anOperator, operate } from '../support/operator.ts';
import type { Operator } from '../support/operator.ts';
import { aCustomer, aVariant, order, pay, someCodes } from '../support/shop.ts';
import { startTestService } from '../support/test-service.ts';
import type { TestService } from '../support/test-service.ts';
import { isSignedWith, startWebhookReceiver } from '../support/webhook-receiver.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';

interface Endpoint {
  readonly id: number;
  readonly secret: string;
  readonly is_active: boolean;
  readonly disabled_reason: string | null;
}
interface Delivery {
  readonly id: number;
  readonly event_id: string;
  readonly event_type: string;
  readonly status: string;
  readonly attempts: readonly { readonly response_status: number; readonly response_body: string }[];
  readonly request: { readonly body: unknown };
}

let service: TestService;
let operator: Operator;
let receiver: WebhookReceiver;
beforeAll(async () => {
  service = await startTestService();
  operator = await anOperator(service);
});
afterAll(() => service.close());
beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(async () => {
  await service.db.query('DELETE FROM webhook_endpoints');
  await receiver.close();
});

const ask = <Data>(path: string, method?: string, body?: unknown) =>
  operate<Data>(service, operator, { path, ...(method ? { method } : {}), ...(body ? { body } : {}) });
const create = async (events: readonly string[] = ['*']) =>
  (await ask<Endpoint>('/webhooks', 'POST', { url: receiver.url, events })).data;
const deliveriesOf = async (id: number) =>
  (await ask<{ items: Delivery[] }>(`/webhooks/${id}/deliveries?limit=100`)).data.items;

/** One order bought and delivered, and its events sent. */
async function sellOne(prefix: string): Promise<{ id: number; order_number: string }> {
  const customer = await aCustomer(service);
  const { variantId } = await aVariant(service, { codes: someCodes(prefix, 1) });
  const placed = (await order(service, customer, { variantId })).data;
  await pay(service, placed);
  await service.drain();
  await service.sweep('publish_events');
  return placed;
}
const received = () => receiver.received.map(({ body }) => body.type);

describe('webhooks (decisions part 9)', () => {
  it('tell of an order in the order in which it happened, signed, without any code', async () => {
    const { secret } = await create();
    const placed = await sellOne('HOOK');
    await expect.poll(() => received().length).toBeGreaterThanOrEqual(5);
    expect(received()).toEqual([
      'order.created',
      'payment.succeeded',
      'order.paid',
      'fulfillment.attempted',
      'order.fulfilled',
    ]);
    for (const one of receiver.received) {
      expect(one.body.data['order_id']).toBe(placed.id);
      expect(isSignedWith(secret, one)).toBe(true);
      // The same by hand: what a consumer without the library computes.
      const signed = `${one.headers['webhook-id'] as string}.${one.headers['webhook-timestamp'] as string}.${one.text}`;
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
      expect(one.headers['webhook-signature']).toBe(expected);
      expect(one.text).not.toContain('HOOK');
    }
  });

  it('are what their published schemas say', async () => {
    const described = await fetch(`${service.url}/openapi/events.json`);
    const { components } = (await described.json()) as {
      components: { messages: Record<string, { payload: object }> };
    };
    const ajv = addFormats.default(new Ajv({ strict: false }));
    await create();
    await sellOne('SCHEMA');
    await expect.poll(() => received().length).toBeGreaterThanOrEqual(5);
    for (const { body } of receiver.received) {
      const schema = components.messages[body.type]?.payload ?? false;
      expect(ajv.validate(schema, body), `${body.type}: ${ajv.errorsText()}`).toBe(true);
    }
  });

  it('show the secret once, and keep it sealed', async () => {
    const { id, secret } = await create();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const read = await ask(`/webhooks/${id}`);
    expect(read).toMatchObject({ status: 200, data: { id, is_active: true, health: { pending: 0 } } });
    const shown = JSON.stringify([read, await ask('/webhooks'), await ask('/audit-log')]);
    expect(shown).not.toContain(secret.slice(6));
    const stored = await service.db.query('SELECT to_jsonb(e)::text AS row FROM webhook_endpoints e');
    expect(JSON.stringify(stored.rows)).not.toContain(secret.slice(6));
  });

  it('sign with both secrets after a rotation', async () => {
    const before = await create();
    const after = (await ask<Endpoint>(`/webhooks/${before.id}/rotate-secret`, 'POST', {})).data;
    expect(after.secret).not.toBe(before.secret);
    expect((await ask<{ delivered: boolean }>(`/webhooks/${before.id}/test`, 'POST', {})).data).toMatchObject(
      {
        delivered: true,
        response_status: 200,
        response_body: 'ok',
      },
    );
    const sent = receiver.received[0];
    expect(sent?.body.type).toBe('webhook.test');
    expect(sent && [isSignedWith(before.secret, sent), isSignedWith(after.secret, sent)]).toEqual([
      true,
      true,
    ]);
    await service.db.query(
      `UPDATE webhook_endpoints SET previous_secret_until = now() - interval '1 second'`,
    );
    await ask(`/webhooks/${before.id}/test`, 'POST', {});
    const next = receiver.received[1];
    expect(next && [isSignedWith(before.secret, next), isSignedWith(after.secret, next)]).toEqual([
      false,
      true,
    ]);
  });

  it('keep every attempt, and send one again with the same id', async () => {
    const { id } = await create(['order.created']);
    receiver.answer(500);
    await sellOne('AGAIN');
    await expect.poll(async () => (await deliveriesOf(id))[0]?.attempts.length).toBe(1);
    const [failed] = await deliveriesOf(id);
    expect(failed).toMatchObject({
      event_type: 'order.created',
      status: 'pending',
      attempts: [{ response_status: 500, response_body: 'said 500' }],
    });
    expect(failed?.request.body).toEqual(receiver.received[0]?.body);
    receiver.answer(200);
    expect((await ask(`/webhooks/deliveries/${failed?.id}/redeliver`, 'POST', {})).status).toBe(200);
    await service.sweep('publish_events');
    await expect.poll(async () => (await deliveriesOf(id))[0]?.status).toBe('succeeded');
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect((await ask('/webhooks/deliveries/999999/redeliver', 'POST', {})).status).toBe(404);
  });

  it('are replayed for a range, to an endpoint that came later too', async () => {
    const from = new Date().toISOString();
    await sellOne('PAST');
    const { id } = await create(['order.paid', 'order.fulfilled']);
    await service.sweep('publish_events');
    expect(receiver.received).toEqual([]);
    const replayed = await ask(`/webhooks/${id}/replay`, 'POST', { from });
    expect(replayed).toMatchObject({ status: 200, data: { replayed: 2, has_more: false } });
    await service.sweep('publish_events');
    await expect.poll(received).toEqual(['order.paid', 'order.fulfilled']);
    expect((await ask(`/webhooks/${id}/replay`, 'POST', {})).status).toBe(400);
  });

  it('stop at 410 with an alert that enabling resolves', async () => {
    const { id } = await create();
    receiver.answer(410);
    await sellOne('GONE');
    await expect.poll(async () => (await ask<Endpoint>(`/webhooks/${id}`)).data.disabled_reason).toBe('gone');
    const open = '/alerts?status=open&type=webhook_disabled';
    expect((await ask<{ items: unknown[] }>(open)).data.items).toHaveLength(1);
    const enabled = await ask<Endpoint>(`/webhooks/${id}`, 'PUT', { is_active: true });
    expect(enabled).toMatchObject({ status: 200, data: { is_active: true, disabled_reason: null } });
    expect((await ask<{ items: unknown[] }>(open)).data.items).toEqual([]);
  });

  it('are changed and deleted by who may, and by nobody else', async () => {
    const { id } = await create();
    const auditor = await anOperator(service, ['auditor']);
    expect((await operate(service, auditor, { path: `/webhooks/${id}` })).status).toBe(200);
    const refused = await operate(service, auditor, { path: `/webhooks/${id}`, method: 'DELETE' });
    expect(refused.status).toBe(403);
    expect(await ask(`/webhooks/${id}`, 'PUT', { events: ['order.paid'], description: 'ERP' })).toMatchObject(
      {
        data: { events: ['order.paid'], description: 'ERP' },
      },
    );
    expect((await ask(`/webhooks/${id}`, 'PUT', { events: ['order.eaten'] })).status).toBe(400);
    expect((await ask(`/webhooks/${id}`, 'DELETE')).status).toBe(200);
    expect((await ask(`/webhooks/${id}`)).status).toBe(404);
  });
});

describe('where private addresses are not allowed', () => {
  it('refuses a URL that is not public, https and plain, at create and at update', async () => {
    const strict = await startTestService({ beside: service, environment: { WEBHOOK_ALLOW_PRIVATE: 'off' } });
    try {
      const urls = [
        receiver.url,
        'http://example.com/hook',
        'https://127.0.0.1/hook',
        'https://[::1]/hook',
        'https://localhost/hook',
        'https://user:secret@8.8.8.8/hook',
        'https://8.8.8.8:22/hook',
        'ftp://8.8.8.8/hook',
        'not a url',
      ];
      for (const url of urls) {
        const body = { url, events: ['*'] };
        const answer = await operate(strict, operator, { path: '/webhooks', body });
        expect(answer, url).toMatchObject({ status: 400, errorCode: 'VALIDATION_ERROR' });
      }
      const kept = await operate<Endpoint>(strict, operator, {
        path: '/webhooks',
        body: { url: 'https://8.8.8.8/hook', events: ['*'] },
      });
      expect(kept.status).toBe(201);
      const path = `/webhooks/${kept.data.id}`;
      const moved = await operate(strict, operator, {
        path,
        method: 'PUT',
        body: { url: 'https://10.0.0.1/' },
      });
      expect(moved.status).toBe(400);
      await service.db.query(`UPDATE webhook_endpoints SET url = $1`, [receiver.url]);
      const tested = await operate(strict, operator, { path: `${path}/test`, body: {} });
      expect(tested).toMatchObject({ data: { delivered: false, response_status: null } });
      expect(receiver.received).toEqual([]);
    } finally {
      await strict.close();
    }
  });
});
