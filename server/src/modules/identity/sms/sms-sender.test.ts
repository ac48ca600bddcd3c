import { describe, expect, it } from 'vitest';

import type { OutboundClient, OutboundRequest } from '../../../platform/outbound/outbound-client.ts';
import { createHttpSmsSender } from './sms-sender.ts';

function aProvider(status: number): OutboundClient & { calls: OutboundRequest[] } {
  const calls: OutboundRequest[] = [];
  return {
    calls,
    async send(call) {
      calls.push(call);
      return { status, text: '{"echo": "Your code is 123456"}', contentType: 'application/json' };
    },
    close: async () => undefined,
  };
}

const message = { to: '+8801700000001', text: 'Your code is 123456' };

describe('the SMS driver', () => {
  it.each(['http://sms.example', 'http://sms.example/', 'http://sms.example/sms/send'])(
    'posts number, text and key to %s',
    async (url) => {
      const outbound = aProvider(200);
      await createHttpSmsSender({ outbound, url, apiKey: 'key' }).send(message);
      expect(outbound.calls).toEqual([
        {
          method: 'POST',
          url: 'http://sms.example/sms/send',
          headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
          body: JSON.stringify(message),
          timeoutMs: 5000,
        },
      ]);
    },
  );

  it.each([301, 401, 422, 500])('fails on the answer %i without repeating the code', async (status) => {
    const sending = createHttpSmsSender({
      outbound: aProvider(status),
      url: 'http://s.example',
      apiKey: 'k',
    });
    const failure = await sending.send(message).catch((error: unknown) => String(error));
    expect(failure).toContain(String(status));
    expect(failure).not.toContain('123456');
  });
});
