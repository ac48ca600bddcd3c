import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { OutboundError } from '../../../platform/outbound/outbound-client.ts';
import type { OutboundClient, OutboundResponse } from '../../../platform/outbound/outbound-client.ts';
import { guardClient } from './guarded-client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const call = { method: 'GET', url: 'https://gateway.example/ask', timeoutMs: 1000 } as const;
const ok: OutboundResponse = { status: 200, text: '{}', contentType: 'application/json' };

/** A line that does as its test says. */
function aLine(answer: () => Promise<OutboundResponse>): { http: OutboundClient; sent: () => number } {
  let sent = 0;
  return {
    sent: () => sent,
    http: {
      async send() {
        sent += 1;
        return answer();
      },
      close: async () => undefined,
    },
  };
}

const noAnswer = async (): Promise<OutboundResponse> => {
  throw new OutboundError('no answer', { neverSent: false, cause: undefined });
};

async function sendMany(client: OutboundClient, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await client.send(call).catch(() => undefined);
}

describe('guardClient', () => {
  it.each([
    ['no answer', noAnswer],
    ['5xx', async () => ({ ...ok, status: 503 })],
    ['429', async () => ({ ...ok, status: 429 })],
  ])(
    'calls no more after twenty calls with %s, and says that the refused one never left',
    async (_what, answer) => {
      const { http, sent } = aLine(answer);
      const client = guardClient(http);
      await sendMany(client, 20);
      expect(client.health()).toMatchObject({ state: 'open', calls: 20, failures: 20, refused: 0 });
      await expect(client.send(call)).rejects.toMatchObject({ name: 'OutboundError', neverSent: true });
      expect(sent()).toBe(20);
      expect(client.health()).toMatchObject({ refused: 1, underWay: 0 });
    },
  );

  it('goes on calling while half of the calls are answered, and when few failed', async () => {
    let n = 0;
    const { http } = aLine(() => ((n += 1) % 2 === 0 ? noAnswer() : Promise.resolve(ok)));
    const client = guardClient(http);
    await sendMany(client, 60);
    expect(client.health().state).toBe('closed');
    const few = guardClient(aLine(noAnswer).http);
    await sendMany(few, 19);
    expect(few.health().state).toBe('closed');
  });

  it('takes a 4xx for an answer', async () => {
    const client = guardClient(aLine(async () => ({ ...ok, status: 401 })).http);
    await sendMany(client, 40);
    expect(client.health()).toMatchObject({ state: 'closed', failures: 0 });
  });

  it('lets one call through after a while, and all when that one is answered', async () => {
    let isIll = true;
    const { http, sent } = aLine(() => (isIll ? noAnswer() : Promise.resolve(ok)));
    const client = guardClient(http);
    await sendMany(client, 20);
    vi.advanceTimersByTime(2_000);
    await sendMany(client, 3);
    expect(sent()).toBe(21);
    expect(client.health().state).toBe('open');
    isIll = false;
    vi.advanceTimersByTime(15_000);
    expect(await client.send(call)).toEqual(ok);
    expect(client.health().state).toBe('closed');
    await sendMany(client, 5);
    expect(sent()).toBe(27);
  });

  it('makes at most twenty calls at once, and leaves other gateways their own twenty', async () => {
    let release: (response: OutboundResponse) => void = () => undefined;
    const hanging = new Promise<OutboundResponse>((resolve) => {
      release = resolve;
    });
    const { http, sent } = aLine(() => hanging);
    const [hung, well] = [guardClient(http), guardClient(aLine(async () => ok).http)];
    const calls = Array.from({ length: 25 }, () => hung.send(call));
    await vi.advanceTimersByTimeAsync(1);
    expect(sent()).toBe(20);
    expect(hung.health().underWay).toBe(20);
    expect(await well.send(call)).toEqual(ok);
    release(ok);
    await Promise.all(calls);
    expect(sent()).toBe(25);
  });

  it('refuses what would wait behind two hundred others', async () => {
    let release: (response: OutboundResponse) => void = () => undefined;
    const hanging = new Promise<OutboundResponse>((resolve) => {
      release = resolve;
    });
    const client = guardClient(aLine(() => hanging).http);
    const calls = Array.from({ length: 220 }, () => client.send(call));
    await expect(client.send(call)).rejects.toMatchObject({ neverSent: true });
    release(ok);
    await Promise.all(calls);
    expect(client.health()).toMatchObject({ calls: 220, refused: 1, underWay: 0 });
  });
});
