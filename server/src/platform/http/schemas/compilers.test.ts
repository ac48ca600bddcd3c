import Fastify from 'fastify';
import { Type } from 'typebox';
import type { TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';

import { compileOnUse } from './compilers.ts';

/** A schema that counts who asks what is in it: compilers do, routers do not. */
function watched(properties: Record<string, TSchema>): {
  readonly schema: TSchema;
  readonly reads: () => number;
} {
  let reads = 0;
  const schema = new Proxy(Type.Object(properties), {
    get(target, key, receiver) {
      if (key === 'properties') reads += 1;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  return { schema, reads: () => reads };
}

function startServer(routes: Record<string, { response?: TSchema; body?: TSchema; querystring?: TSchema }>) {
  const app = Fastify();
  compileOnUse(app);
  for (const [url, { response, ...schema }] of Object.entries(routes)) {
    app.post(
      url,
      { schema: { ...schema, ...(response && { response: { 200: response } }) } },
      async (request) => ({
        given: request.body,
        query: request.query,
        undeclared: 'secret',
      }),
    );
  }
  return app;
}

describe('schemas', () => {
  it('are compiled by the first request that needs them, once for all operations that share them', async () => {
    const answer = watched({ given: Type.Unknown() });
    const app = startServer({ '/one': { response: answer.schema }, '/two': { response: answer.schema } });
    await app.ready();
    expect(answer.reads()).toBe(0);
    const first = await app.inject({ method: 'POST', url: '/one', payload: { a: 1 } });
    expect(first.json()).toEqual({ given: { a: 1 } });
    const afterFirst = answer.reads();
    expect(afterFirst).toBeGreaterThan(0);
    const second = await app.inject({ method: 'POST', url: '/two', payload: { a: 2 } });
    expect(second.json()).toEqual({ given: { a: 2 } });
    expect(answer.reads()).toBe(afterFirst);
  });

  it('refuse with what is wrong, each time anew', async () => {
    const app = startServer({ '/': { body: Type.Object({ name: Type.String(), age: Type.Integer() }) } });
    const ask = async (payload: object) => {
      const { statusCode, body } = await app.inject({ method: 'POST', url: '/', payload });
      return [statusCode, (JSON.parse(body) as { message?: string }).message];
    };
    expect(await ask({ age: 3 })).toEqual([400, expect.stringContaining("'name'")]);
    expect(await ask({ name: 'Rahim', age: 3 })).toEqual([200, undefined]);
    expect(await ask({ name: 'Rahim' })).toEqual([400, expect.stringContaining("'age'")]);
    // Nothing in a body is coerced.
    expect(await ask({ name: 'Rahim', age: '3' })).toEqual([400, expect.stringContaining('age')]);
  });

  it('coerce the text of addresses, and drop what they do not declare', async () => {
    const querystring = Type.Object({ page: Type.Integer({ default: 1 }) });
    const body = Type.Object({ name: Type.String() });
    const app = startServer({ '/': { querystring, body } });
    const answer = await app.inject({
      method: 'POST',
      url: '/?page=7&x=1',
      payload: { name: 'a', admin: true },
    });
    expect(answer.json()).toMatchObject({ given: { name: 'a' }, query: { page: 7 } });
    expect(answer.json()).not.toMatchObject({ given: { admin: true } });
  });
});
