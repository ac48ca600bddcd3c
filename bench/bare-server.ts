/** A bare Fastify, the limit that requests are measured against. Started by order.ts. */
import Fastify from 'fastify';

const app = Fastify();

const small = {
  response: {
    200: {
      type: 'object',
      properties: {
        success: { type: 'boolean' },
        message: { type: 'string' },
        data: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } },
      },
    },
  },
};
app.get('/small', { schema: small }, async () => ({
  success: true,
  message: 'OK',
  data: { id: 1, name: 'one' },
}));

/** The same bytes as an answer of ours, made before. */
let bytes = '';
app.get('/bytes', async (_request, reply) => reply.type('application/json; charset=utf-8').send(bytes));
app.get('/unchanged', async (_request, reply) => reply.header('etag', '"bench"').code(304).send());

process.on('message', (body: string) => {
  bytes = body;
  process.send?.('kept');
});
process.on('disconnect', () => process.exit());
process.send?.({ url: await app.listen({ host: '127.0.0.1', port: 0 }) });
