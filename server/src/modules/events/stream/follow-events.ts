import { setTimeout as wait } from 'node:timers/promises';

import type { Reader } from '../../../platform/db/database.ts';
import { findLastSequence, listEventsAfter } from './event-log-store.ts';
import type { PublishedEvent } from './event-log-store.ts';

export interface FollowOptions {
  /** A place in the log; only what is new when left out. */
  readonly after?: number | undefined;
  /** Kinds; all when left out. */
  readonly types?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

const BATCH = 200;
const POLL_MS = 300;

/** The published log as it grows, in order, none left out, until the signal. */
export async function* followEvents(reader: Reader, options: FollowOptions): AsyncGenerator<PublishedEvent> {
  const { types, signal } = options;
  let last = options.after ?? (await findLastSequence(reader));
  while (!signal.aborted) {
    const events = await listEventsAfter(reader, { after: last, limit: BATCH, types: types ?? null });
    for (const event of events) {
      yield event;
      last = event.sequence;
    }
    if (events.length === 0) await wait(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
