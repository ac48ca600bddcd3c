import { Type } from 'typebox';

import { endpoint } from '../../platform/http/endpoint.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { pageQuery, pageSchema } from '../../platform/http/envelope.ts';
import { orderSchema, orderStatusSchema } from './order-wire.ts';
import { readOrder, readOrders } from './read-orders.ts';
import type { ReadOrdersDeps } from './read-orders.ts';

const tag = 'Orders';

export function orderRoutes(deps: ReadOrdersDeps): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/orders',
      access: 'client',
      summary: 'My orders, newest first',
      tag,
      query: Type.Object({ ...pageQuery, status: Type.Optional(orderStatusSchema) }),
      data: pageSchema(orderSchema),
      handle: ({ caller, query }) =>
        readOrders(deps, { ...query, status: query.status, userId: caller.userId }),
    }),
    endpoint({
      method: 'GET',
      path: '/orders/:id',
      access: 'client',
      summary: 'One of my orders, with its codes once they are out',
      tag,
      params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
      data: orderSchema,
      errors: ['NOT_FOUND'],
      handle: ({ caller, params }) => readOrder(deps, { userId: caller.userId, orderId: params.id }),
    }),
    endpoint({
      method: 'GET',
      path: '/orders/number/:orderNumber',
      access: 'client',
      summary: 'One of my orders by its public number',
      tag,
      params: Type.Object({ orderNumber: Type.String({ maxLength: 40 }) }),
      data: orderSchema,
      errors: ['NOT_FOUND'],
      handle: ({ caller, params }) =>
        readOrder(deps, { userId: caller.userId, orderNumber: params.orderNumber }),
    }),
  ];
}
