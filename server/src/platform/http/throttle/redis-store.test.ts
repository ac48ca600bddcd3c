import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { createLog } from '../../log.ts';
import { systemClock } from '../../time.ts';
import { createRedisStore } from './redis-store.ts';
import type { ThrottleStore } from './throttle-store.ts';

/** Enough of Redis for two scripts: RESP over TCP, with expiry, that can fall silent or go away. */
class TinyRedis {
  readonly #counts = new Map<string, { count: number; endsAt: number }>();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  isSilent = false;

  async start(port = 0): Promise<number> {
    const server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
      let rest = '';
      socket.on('data', (chunk) => {
        rest += chunk.toString();
        for (let command = read(rest); command; command = read(rest)) {
          rest = command.rest;
          if (!this.isSilent) socket.write(this.#answer(command.words));
        }
      });
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  #answer([name = '', script = '', , key = '', windowMs = '0']: string[]): string {
    if (name.toUpperCase() === 'HELLO') return '-ERR unknown command\r\n';
    if (name.toUpperCase() !== 'EVAL') return '+OK\r\n';
    const now = Date.now();
    const known = this.#counts.get(key);
    const window = known && known.endsAt > now ? known : { count: 0, endsAt: now + Number(windowMs) };
    if (script.includes('INCR')) {
      window.count += 1;
      this.#counts.set(key, window);
    }
    return `*2\r\n:${window.count}\r\n:${window.endsAt - now}\r\n`;
  }
}

function read(text: string): { words: string[]; rest: string } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (!head) return undefined;
  const words: string[] = [];
  let at = head[0].length;
  for (let n = 0; n < Number(head[1]); n += 1) {
    const length = /^\$(\d+)\r\n/.exec(text.slice(at));
    if (!length) return undefined;
    const start = at + length[0].length;
    const end = start + Number(length[1]);
    if (text.length < end + 2) return undefined;
    words.push(text.slice(start, end));
    at = end + 2;
  }
  return { words, rest: text.slice(at) };
}

const stores: ThrottleStore[] = [];
let redis: TinyRedis;
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await redis.stop();
});

async function twoProcesses() {
  redis = new TinyRedis();
  const port = await redis.start();
  const log = createLog({ level: 'silent' });
  const make = () => createRedisStore({ url: `redis://127.0.0.1:${port}`, clock: systemClock, log });
  const [one, two] = [make(), make()];
  stores.push(one, two);
  return { one, two, port };
}

/** Takes from both until they count together: connecting takes a moment. */
const countTogether = async (one: ThrottleStore, two: ThrottleStore): Promise<void> => {
  await vi.waitFor(async () => {
    const key = crypto.randomUUID();
    await one.take(key, 60);
    expect((await two.take(key, 60)).count).toBe(2);
  }, 5_000);
};

describe('limits in Redis', () => {
  it('are shared by all processes', async () => {
    const { one, two } = await twoProcesses();
    await countTogether(one, two);
    await one.take('k', 60);
    await two.take('k', 60);
    expect(await one.peek('k')).toEqual({ count: 2, resetSeconds: 60 });
    expect(await two.take('k', 60)).toEqual({ count: 3, resetSeconds: 60 });
    expect((await one.peek('never')).count).toBe(0);
  });

  it('hold in each process while Redis is away, and are shared again when it is back', async () => {
    const { one, two, port } = await twoProcesses();
    await countTogether(one, two);
    await redis.stop();
    expect((await one.take('away', 60)).count).toBe(1);
    expect((await one.take('away', 60)).count).toBe(2);
    expect((await two.take('away', 60)).count).toBe(1);
    await redis.start(port);
    await countTogether(one, two);
  });

  it('hold nobody up when Redis falls silent', async () => {
    const { one, two } = await twoProcesses();
    await countTogether(one, two);
    redis.isSilent = true;
    const counts = await Promise.all(Array.from({ length: 50 }, () => one.take('silent', 60)));
    expect(Math.max(...counts.map((count) => count.count))).toBe(50);
  });
});
