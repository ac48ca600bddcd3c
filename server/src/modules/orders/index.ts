export { createOrder, unitsOf } from './create-order.ts';
export type { AlsoWrite, CreatedOrder, CreateOrderDeps, CreateOrderInput, Customer } from './create-order.ts';
export { fulfillOrderJob, fulfillOrderKey } from './jobs.ts';
export { orderNotFound, outOfStock } from './errors.ts';
export {
  applyOrderFact,
  markItemsBegun,
  markItemsFulfilled,
  markOrderDispatched,
  markOrderPaid,
  markSessionOpened,
  setDeliveryEmail,
  setItemStatuses,
  setOrderHold,
} from './order-changes.ts';
export { describeOrder } from './order-label.ts';
export { orderStates, payableStatuses } from './order-states.ts';
export type { OrderFact, OrderStatus } from './order-states.ts';
export {
  findOrder,
  findOrderOf,
  hasPaidOrder,
  listExpiredHolds,
  listOrderItems,
  listOrdersByIds,
  lockOrder,
} from './order-store.ts';
export type { OrderItemRow, OrderRow } from './order-store.ts';
export { orderItemSchema, orderSchema, toOrderWire } from './order-wire.ts';
export type { OrderWire } from './order-wire.ts';
export { readOrder } from './read-orders.ts';
export { orderRoutes } from './routes.ts';
