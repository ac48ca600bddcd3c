import { Type } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { findOrder, orderNotFound, orderStates } from '../../orders/index.ts';
import { optionalBody } from '../recovery-wire.ts';
import { addNote } from './add-note.ts';
import { assignOrder } from './assign-order.ts';
import { changeOrderStatus } from './change-order-status.ts';
import type { ChangeOrderStatusDeps } from './change-order-status.ts';

const tag = 'Orders';
const write = { permission: 'orders:write' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });
const notes = Type.Optional(Type.Union([Type.String({ maxLength: 4000 }), Type.Null()]));

const statusSchema = Type.Object({
  id: Type.Integer(),
  order_number: Type.String(),
  status: Type.String({ description: orderStates.states.join(', ') }),
});

async function readStatus(deps: ChangeOrderStatusDeps, orderId: number) {
  const order = await findOrder(deps.db, orderId);
  if (!order) throw orderNotFound();
  return { id: order.id, order_number: order.order_number, status: order.status };
}

export function orderActionRoutes(deps: ChangeOrderStatusDeps): Endpoint[] {
  return [changeStatusRoute(deps), cancelRoute(deps), assignRoute(deps), noteRoute(deps)];
}

function changeStatusRoute(deps: ChangeOrderStatusDeps): Endpoint {
  return endpoint({
    method: 'PATCH',
    path: '/orders/:id/status',
    access: write,
    summary: 'Set a paid order to NEEDS_ATTENTION, or cancel an unpaid one',
    tag,
    params,
    body: Type.Object({
      status: Type.Union(orderStates.states.map((status) => Type.Literal(status))),
      notes,
    }),
    data: statusSchema,
    errors: ['NOT_FOUND'],
    handle: async (call) => {
      const { params: of, body } = call;
      const actor = auditActor(call);
      const request = { orderId: of.id, status: body.status, notes: body.notes ?? null, actor };
      await changeOrderStatus(deps, request);
      const order = await readStatus(deps, of.id);
      return answer(order, { message: `Order ${order.order_number} is ${order.status}` });
    },
  });
}

function cancelRoute(deps: ChangeOrderStatusDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/orders/:id/cancel',
    access: write,
    summary: 'Cancel an unpaid order; what it holds goes back at once',
    tag,
    params,
    body: optionalBody(Type.Object({ notes })),
    data: statusSchema,
    errors: ['NOT_FOUND'],
    handle: async (call) => {
      const { params: of, body } = call;
      const request = { orderId: of.id, status: 'CANCELLED', notes: body?.notes ?? null } as const;
      await changeOrderStatus(deps, { ...request, actor: auditActor(call) });
      return answer(await readStatus(deps, of.id), { message: 'Order cancelled' });
    },
  });
}

function assignRoute(deps: ChangeOrderStatusDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/orders/:id/assign',
    access: write,
    summary: 'Take an order, give it to another operator, or let it go',
    tag,
    params,
    body: optionalBody(
      Type.Object({
        admin_id: Type.Optional(
          Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
            description: 'Yourself when left out; null for nobody',
          }),
        ),
        expected_admin_id: Type.Optional(
          Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
            description: 'Whom you believe has it: 409 when that changed meanwhile',
          }),
        ),
      }),
    ),
    data: Type.Object({ order_id: Type.Integer(), admin_id: Type.Union([Type.Integer(), Type.Null()]) }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async (call) => {
      const { params: of, body, caller } = call;
      const adminId = body?.admin_id === undefined ? caller.adminId : body.admin_id;
      const assignment = { orderId: of.id, adminId, expected: body?.expected_admin_id };
      await assignOrder(deps, { ...assignment, actor: auditActor(call) });
      return { order_id: of.id, admin_id: adminId };
    },
  });
}

function noteRoute(deps: ChangeOrderStatusDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/orders/:id/notes',
    access: write,
    summary: 'Write down something about an order; it stays in its timeline',
    tag,
    params,
    body: Type.Object({ text: Type.String({ minLength: 1, maxLength: 4000 }) }),
    data: Type.Object({
      id: Type.Integer(),
      order_id: Type.Integer(),
      text: Type.String(),
      created_at: Type.String({ format: 'date-time' }),
    }),
    status: 201,
    errors: ['NOT_FOUND'],
    handle: async (call) => {
      const { text } = call.body;
      const added = await addNote(deps, { orderId: call.params.id, text, actor: auditActor(call) });
      return {
        id: added.id,
        order_id: call.params.id,
        text,
        created_at: added.created_at.toISOString(),
      };
    },
  });
}
