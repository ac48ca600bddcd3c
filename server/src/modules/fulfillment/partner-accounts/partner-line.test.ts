import { describe, expect, it } from 'vitest';

import { OutboundError } from '../../../platform/outbound/outbound-client.ts';
import type { OutboundClient, OutboundRequest } from '../../../platform/outbound/outbound-client.ts';
import { createPartnerLine } from './partner-line.ts';

const call: OutboundRequest = { method: 'GET', url: 'https://partner.example/x', timeoutMs: 100 };
const limits = { atOnce: 2, breaker: { share: 0.5, ofCalls: 4, pauseMs: 60_000 } };

function answering(status: number | (() => Promise<number>)): OutboundClient & { calls: number } {
  const client = {
    calls: 0,
    async send() {
      client.calls += 1;
      const code = typeof status === 'number' ? status : await status();
      return { status: code, text: '', contentType: '' };
    },
    close: async () => undefined,
  };
  return client;
}

describe('the line to a partner', () => {
  it.each([500, 503, 429])('makes no more calls after half of them were answered %d', async (status) => {
    const client = answering(status);
    const line = createPartnerLine(client, limits);
    for (let n = 0; n < 4; n += 1) await line.send(call);
    expect(line.breaker()).toBe('open');
    const refused = await line.send(call).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OutboundError);
    expect(refused).toMatchObject({ neverSent: true });
    expect(client.calls).toBe(4);
  });

  it('does not mind refusals: a no is an answer', async () => {
    const line = createPartnerLine(answering(422), limits);
    for (let n = 0; n < 8; n += 1) await line.send(call);
    expect(line.breaker()).toBe('closed');
  });

  it('has no room while as many calls are under way as it allows', async () => {
    let finish = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const line = createPartnerLine(
      answering(async () => {
        await held;
        return 200;
      }),
      limits,
    );
    expect(line.hasRoom()).toBe(true);
    const under = [line.send(call), line.send(call)];
    expect(line.hasRoom()).toBe(false);
    finish();
    await Promise.all(under);
    expect(line.hasRoom()).toBe(true);
  });
});
