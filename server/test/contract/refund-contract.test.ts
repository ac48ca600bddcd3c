import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import type { Gateway, GatewayName } from '../../src/modules/payments/gateways/gateway.ts';
import type {
  RefundQuestion,
  RefundRequest,
  RefundResult,
} from '../../src/modules/payments/gateways/refund.ts';
import { aRefund, openLab, withEvidence } from './gateway-lab.ts';
import type { Lab } from './gateway-lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterEach(() => lab.clearFaults());
afterAll(() => lab.close());

const refunding = [
  'aggregator',
  'wallet_tokenized',
  'dcb',
  'wallet_direct',
] as const satisfies readonly GatewayName[];

async function aPaidPayment(gateway: Gateway) {
  const { url, payment } = await lab.aSession(gateway);
  const reading = gateway.readCallback(await lab.pay(url, 'success'));
  const verified = await gateway.verify(withEvidence(payment, reading));
  if (verified.kind !== 'confirmed') throw new Error(`not paid: ${verified.kind}`);
  return { payment, id: verified.gatewayTransactionId };
}

function send(gateway: Gateway, request: RefundRequest): Promise<RefundResult> {
  if (!gateway.refund) throw new Error('it has no refund');
  return gateway.refund(request);
}

function ask(
  gateway: Gateway,
  request: RefundRequest,
  known: Partial<RefundQuestion> = {},
): Promise<RefundResult> {
  if (!gateway.queryRefund) throw new Error('it cannot be asked');
  return gateway.queryRefund({ ...request, gatewayRefundId: undefined, otherRefundIds: [], ...known });
}

function idOf(result: RefundResult): string {
  if (result.kind !== 'refunded') throw new Error(`not refunded: ${result.kind}`);
  return result.gatewayRefundId;
}

describe.each(refunding)('%s', (name) => {
  it('refunds in parts, each with an id of its own, and no more than was paid', async () => {
    const gateway = lab.gateway(name);
    const { payment, id } = await aPaidPayment(gateway);
    const first = await send(gateway, aRefund(payment, id, 20_000));
    const second = await send(gateway, aRefund(payment, id, 30_050));
    expect(idOf(first)).not.toBe(idOf(second));
    expect(await send(gateway, aRefund(payment, id, 100))).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/./),
    });
  });

  it('refuses what the gateway declines', async () => {
    const gateway = lab.gateway(name);
    const { payment, id } = await aPaidPayment(gateway);
    await lab.fault({ target: name, fault: 'declined', call: 'refund' });
    expect(await send(gateway, aRefund(payment, id, 20_000))).toMatchObject({ kind: 'refused' });
  });

  it.each(['error_500', 'html', 'timeout', 'unknown_result'])(
    'says unknown on %s, and that it was sent',
    async (fault) => {
      const gateway = lab.gateway(name);
      const { payment, id } = await aPaidPayment(gateway);
      await lab.fault({ target: name, fault, call: 'refund' });
      expect(await send(gateway, aRefund(payment, id, 20_000))).toMatchObject({
        kind: 'unknown',
        neverSent: false,
      });
    },
  );

  it('tells by asking whether a refund whose answer was lost was made', async () => {
    const gateway = lab.gateway(name);
    const { payment, id } = await aPaidPayment(gateway);
    const earlier = idOf(await send(gateway, aRefund(payment, id, 10_000)));
    const lost = aRefund(payment, id, 20_000);
    const others = { otherRefundIds: [earlier] };
    await lab.fault({ target: name, fault: 'error_500', call: 'refund' });
    await send(gateway, lost);
    const notMade = await ask(gateway, lost, others);
    await lab.fault({ target: name, fault: 'unknown_result', call: 'refund' });
    await send(gateway, lost);
    const made = await ask(gateway, lost, others);
    // SSLCommerz is asked by an id that only the lost answer brings.
    const expected = name === 'aggregator' ? ['unknown', 'unknown'] : ['refused', 'refunded'];
    expect([notMade.kind, made.kind]).toEqual(expected);
  });

  it('tells by asking what became of a refund that it named', async () => {
    const gateway = lab.gateway(name);
    const { payment, id } = await aPaidPayment(gateway);
    const request = aRefund(payment, id, 20_000);
    const gatewayRefundId = idOf(await send(gateway, request));
    expect(await ask(gateway, request, { gatewayRefundId })).toMatchObject({
      kind: 'refunded',
      gatewayRefundId,
    });
  });

  it('says unknown when it cannot be asked', async () => {
    const gateway = lab.gateway(name);
    const { payment, id } = await aPaidPayment(gateway);
    const request = aRefund(payment, id, 20_000);
    const gatewayRefundId = idOf(await send(gateway, request));
    await lab.fault({ target: name, fault: 'html', call: 'query' });
    expect(await ask(gateway, request, { gatewayRefundId })).toMatchObject({ kind: 'unknown' });
  });
});

it('waits for a refund that the aggregator is processing', async () => {
  const gateway = lab.gateway('aggregator');
  const { payment, id } = await aPaidPayment(gateway);
  await lab.fault({ target: 'aggregator', fault: 'processing', call: 'refund' });
  await lab.fault({ target: 'aggregator', fault: 'processing', call: 'query' });
  const request = aRefund(payment, id, 20_000);
  const begun = await send(gateway, request);
  expect(begun).toMatchObject({ kind: 'processing', gatewayRefundId: expect.stringMatching(/./) });
  const gatewayRefundId = begun.kind === 'processing' ? begun.gatewayRefundId : undefined;
  expect(await ask(gateway, request, { gatewayRefundId })).toMatchObject({ kind: 'refunded' });
});

it('finds no refund in the multi-wallet gateway, which publishes none', () => {
  const { refund, queryRefund } = lab.gateway('multi_wallet');
  expect([refund, queryRefund]).toEqual([undefined, undefined]);
});

it('seals a refund of the highest amount with the longest ids', async () => {
  const gateway = lab.gateway('wallet_direct');
  const { url, payment } = await lab.aSession(gateway, { amountMinor: 50_000_000 });
  await lab.pay(url, 'success');
  expect(await send(gateway, aRefund(payment, 'any', 50_000_000))).toMatchObject({ kind: 'refunded' });
});
