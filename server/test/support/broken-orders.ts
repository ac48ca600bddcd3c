import { aVariant, order, pay } from './shop.ts';
import type { Customer, OrderAnswer } from './shop.ts';
import type { TestService } from './test-service.ts';

export interface BrokenOrder {
  readonly id: number;
  readonly number: string;
  readonly itemIds: readonly number[];
}

/**
 * A paid order that nobody could fulfil: its items are sold by a partner that no variant has a source for.
 *
 * @param quantities one item each.
 */
export async function aBrokenOrder(
  service: TestService,
  customer: Customer,
  quantities: readonly number[] = [1],
): Promise<BrokenOrder> {
  const placed = await anUnpaidOrder(service, customer, quantities);
  await pay(service, placed);
  await service.drain();
  return { id: placed.id, number: placed.order_number, itemIds: placed.items.map((item) => item.id) };
}

export async function anUnpaidOrder(
  service: TestService,
  customer: Customer,
  quantities: readonly number[] = [1],
): Promise<OrderAnswer> {
  const items = [];
  for (const quantity of quantities) {
    const { variantId } = await aVariant(service, { engine: 'PARTNER' });
    items.push({ variant_id: variantId, quantity, fulfillment_input: { email: customer.email } });
  }
  const first = items[0]?.variant_id ?? 0;
  const placed = await order(service, customer, { variantId: first, items });
  if (placed.status !== 201) throw new Error(`order: ${placed.status} ${placed.message}`);
  return placed.data;
}
