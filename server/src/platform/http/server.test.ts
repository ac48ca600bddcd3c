import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createLog } from '../log.ts';
import { createHttpServer } from './server.ts';

const app = createHttpServer({ log: createLog({ level: 'silent' }), trustProxy: [] });
beforeAll(async () => {
  app.delete('/thing', async (request) => ({ body: request.body ?? null }));
  const schema = { body: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } };
  app.post('/thing', { schema }, async (request) => ({ body: request.body }));
  await app.ready();
});
afterAll(() => app.close());

const json = { 'content-type': 'application/json' };

describe('a request that announces JSON', () => {
  it('may have no body where none is needed', async () => {
    const reply = await app.inject({ method: 'DELETE', url: '/thing', headers: json });
    expect([reply.statusCode, reply.json()]).toEqual([200, { body: null }]);
  });

  it('is told what is wrong when one is needed and none is there, or it is no JSON', async () => {
    for (const payload of ['', '{"name"', '{"__proto__": {}, "name": "x"}']) {
      const reply = await app.inject({ method: 'POST', url: '/thing', headers: json, payload });
      expect([payload, reply.statusCode]).toEqual([payload, 400]);
      expect(reply.json()).toMatchObject({ success: false, data: null });
    }
  });

  it('is read', async () => {
    const reply = await app.inject({ method: 'POST', url: '/thing', headers: json, payload: '{"name":"x"}' });
    expect(reply.json()).toEqual({ body: { name: 'x' } });
  });
});
