import { createClient } from '@redis/client';

import type { Logger } from '../../log.ts';
import type { Clock } from '../../time.ts';
import { createMemoryStore } from './throttle-store.ts';
import type { ThrottleStore, WindowCount } from './throttle-store.ts';

export interface RedisStoreOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Logger;
}

// One round trip, and never a counter without an end.
const TAKE = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {count, redis.call('PTTL', KEYS[1])}`;
const PEEK = `return {tonumber(redis.call('GET', KEYS[1]) or '0'), redis.call('PTTL', KEYS[1])}`;

/** A limit is not worth a slow request: after this it is counted here instead. */
const ANSWER_WITHIN_MS = 100;
/** And for this long nobody asks Redis again. */
const LEAVE_ALONE_MS = 1_000;
const KEY_PREFIX = 'throttle:';

/**
 * Counts shared by all processes. While Redis does not answer, each process counts for itself, so limits still hold,
 * only per process; requests are neither refused nor held up because of it.
 */
export function createRedisStore(options: RedisStoreOptions): ThrottleStore {
  const { clock, log } = options;
  const alone = createMemoryStore(clock);
  const client = createClient({
    url: options.url,
    RESP: 2,
    // While it is away, commands fail at once instead of piling up.
    disableOfflineQueue: true,
    socket: { connectTimeout: 2_000, reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, 5_000) },
  });
  let isAway = true;
  client.on('ready', () => {
    isAway = false;
    log.info('request limits are shared through Redis');
  });
  client.on('error', (error: Error) => {
    if (!isAway) log.warn({ err: error }, 'Redis is away: request limits are counted per process');
    isAway = true;
  });
  client.connect().catch((error: unknown) => {
    log.warn({ err: error }, 'Redis cannot be reached: request limits are counted per process');
  });

  let leftAloneUntil = 0;
  async function ask(script: string, key: string, values: string[]): Promise<WindowCount | undefined> {
    if (!client.isReady || Date.now() < leftAloneUntil) return undefined;
    try {
      const call = client.eval(script, { keys: [KEY_PREFIX + key], arguments: values });
      const [count = 0, endsInMs = 0] = (await answerSoon(call)) as number[];
      return { count, resetSeconds: Math.max(0, Math.ceil(endsInMs / 1000)) };
    } catch (error) {
      leftAloneUntil = Date.now() + LEAVE_ALONE_MS;
      log.warn(
        { err: error },
        'Redis did not answer in time: request limits are counted per process for a second',
      );
      return undefined;
    }
  }

  return {
    take: async (key, windowSeconds) =>
      (await ask(TAKE, key, [String(windowSeconds * 1000)])) ?? alone.take(key, windowSeconds),
    peek: async (key) => (await ask(PEEK, key, [])) ?? alone.peek(key),
    async close() {
      await alone.close();
      client.destroy();
    },
  };
}

function answerSoon(call: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ANSWER_WITHIN_MS} ms`)), ANSWER_WITHIN_MS);
  });
  return Promise.race([call, late]).finally(() => clearTimeout(timer));
}
