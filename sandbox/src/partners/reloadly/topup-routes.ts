import type { FastifyInstance } from 'fastify';
import { wire } from '../../faults/wire.ts';
import type { Access } from './access.ts';
import { describeTopup } from './airtime.ts';
import type { Airtime } from './airtime.ts';
import { describeOperator, detectOperator, findOperator, listOperators } from './operators.ts';
import { failure, isFailure, sendFailure, sendNotFound } from './reloadly-error.ts';
import { pageOf } from './wire-shapes.ts';

type PageQuery = { page?: string; size?: string; customIdentifier?: string };

/** topups-sandbox.reloadly.com */
export function serveTopups(app: FastifyInstance, access: Access, airtime: Airtime): void {
  app.post<{ Body: Record<string, unknown> | null }>(
    '/topups',
    wire('partner', 'purchase'),
    async (request, reply) => {
      if (!access.admit(request, reply, ['topups'])) return reply;
      const topup = await airtime.topUp(request.body ?? {});
      return isFailure(topup) ? sendFailure(request, reply, topup) : describeTopup(topup);
    },
  );
  app.post<{ Body: Record<string, unknown> | null }>(
    '/topups-async',
    wire('partner', 'purchase'),
    async (request, reply) => {
      if (!access.admit(request, reply, ['topups'])) return reply;
      const topup = await airtime.topUp(request.body ?? {});
      return isFailure(topup) ? sendFailure(request, reply, topup) : { transactionId: topup.transactionId };
    },
  );
  app.get<{ Params: { id: string } }>(
    '/topups/:id/status',
    wire('partner', 'query'),
    async (request, reply) => {
      if (!access.admit(request, reply, ['topups'])) return reply;
      const topup = airtime.find(request.params.id);
      if (!topup) return sendNotFound(request, reply);
      const done = topup.status === 'SUCCESSFUL';
      return {
        code: null,
        message: null,
        status: topup.status,
        transaction: done ? describeTopup(topup) : null,
      };
    },
  );
  app.get<{ Querystring: PageQuery }>(
    '/topups/reports/transactions',
    wire('partner', 'query'),
    async (request, reply) => {
      if (!access.admit(request, reply, ['topups'])) return reply;
      const { customIdentifier } = request.query;
      const found =
        customIdentifier === undefined ? airtime.all() : airtime.withCustomIdentifier(customIdentifier);
      return pageOf(found.map(describeTopup), request.query);
    },
  );
  serveOperators(app, access);
}

function serveOperators(app: FastifyInstance, access: Access): void {
  const unknown = failure('OPERATOR_NOT_FOUND', 'The operator does not exist', 404);

  app.get<{ Querystring: PageQuery }>('/operators', wire('partner', 'catalogue'), async (request, reply) => {
    if (!access.admit(request, reply, ['topups'])) return reply;
    return pageOf(listOperators().map(describeOperator), request.query);
  });
  app.get<{ Params: { id: string } }>(
    '/operators/:id',
    wire('partner', 'catalogue'),
    async (request, reply) => {
      if (!access.admit(request, reply, ['topups'])) return reply;
      const operator = findOperator(Number(request.params.id));
      return operator ? describeOperator(operator) : sendFailure(request, reply, unknown);
    },
  );
  app.get<{ Params: { iso: string } }>(
    '/operators/countries/:iso',
    wire('partner', 'catalogue'),
    async (request, reply) => {
      if (!access.admit(request, reply, ['topups'])) return reply;
      return request.params.iso.toUpperCase() === 'BD' ? listOperators().map(describeOperator) : [];
    },
  );
  app.get<{ Params: { phone: string; iso: string } }>(
    '/operators/auto-detect/phone/:phone/countries/:iso',
    wire('partner', 'catalogue'),
    async (request, reply) => {
      if (!access.admit(request, reply, ['topups'])) return reply;
      const operator =
        request.params.iso.toUpperCase() === 'BD' ? detectOperator(request.params.phone) : undefined;
      if (operator) return describeOperator(operator);
      return sendFailure(
        request,
        reply,
        failure('COULD_NOT_AUTO_DETECT_OPERATOR', 'The operator could not be detected'),
      );
    },
  );
}
