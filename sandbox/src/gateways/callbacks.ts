import { setTimeout } from 'node:timers/promises';
import type { GatewayName } from '../faults/fault-catalogue.ts';
import { redact, redactUrl } from '../ledger/redact.ts';
import type { World } from '../world.ts';
import type { Callback } from './gateway.ts';

/** A callback that was made, and how the merchant answered it. */
export interface Delivery {
  via: Callback['via'];
  method: Callback['method'];
  url: string;
  /** Absent when nothing answered; then `error` says why. */
  status?: number;
  location?: string;
  body?: string;
  error?: string;
}

export interface Dispatch {
  deliveries: Delivery[];
  /** What the browser would have to carry, when it is a real one (`browser: 'person'`). */
  forBrowser: Callback[];
  fault?: 'drop_callback' | 'duplicate_callback' | 'late_callback';
}

const FAULTS = ['drop_callback', 'duplicate_callback', 'late_callback'] as const;
const COPIES = 20;
const LATE_MS = 5_000;
const ANSWER_LIMIT_MS = 30_000;
const BODY_LIMIT = 2_000;

/**
 * Makes the callbacks of a session that ended, as the armed faults have it. With
 * `browser: 'simulated'` the browser's own callback is made too; a real person's browser makes it itself.
 */
export async function dispatchCallbacks(
  world: World,
  target: GatewayName,
  what: { callbacks: readonly Callback[]; browser: 'simulated' | 'person' },
): Promise<Dispatch> {
  const armed = world.faults.takeFirst(target, FAULTS, ['callback']);
  await world.ledger.flushed();
  const person = what.browser === 'person';
  const forBrowser = person ? what.callbacks.filter((callback) => callback.via === 'browser') : [];
  const ours = what.callbacks.filter((callback) => !person || callback.via === 'server');
  const deliver = (callback: Callback) => deliverCallback(world, target, callback);

  switch (armed?.fault) {
    case 'drop_callback':
      return { deliveries: [], forBrowser: [], fault: 'drop_callback' };
    case 'late_callback':
      void deliverLate(world, armed.delayMs ?? LATE_MS, () => inTurn(what.callbacks, deliver));
      return { deliveries: [], forBrowser: [], fault: 'late_callback' };
    case 'duplicate_callback': {
      // A real browser makes the last copy of its own callback.
      const copies = what.callbacks.flatMap((callback) =>
        Array.from({ length: forBrowser.includes(callback) ? COPIES - 1 : COPIES }, () => callback),
      );
      return {
        deliveries: await Promise.all(copies.map(deliver)),
        forBrowser,
        fault: 'duplicate_callback',
      };
    }
    default:
      return { deliveries: await inTurn(ours, deliver), forBrowser };
  }
}

async function inTurn(callbacks: readonly Callback[], deliver: (callback: Callback) => Promise<Delivery>) {
  const deliveries: Delivery[] = [];
  for (const callback of callbacks) deliveries.push(await deliver(callback));
  return deliveries;
}

async function deliverLate(world: World, delayMs: number, deliverAll: () => Promise<unknown>): Promise<void> {
  try {
    await setTimeout(delayMs, undefined, { signal: world.closing });
    await deliverAll();
  } catch {
    // The sandbox closed first: a callback that is late enough never comes.
  }
}

async function deliverCallback(world: World, target: GatewayName, callback: Callback): Promise<Delivery> {
  const { via, method, url } = callback;
  const answer = await send(world, callback);
  world.ledger.record({
    target,
    call: 'callback',
    method,
    url: redactUrl(url),
    request: redact({ via, body: callback.form ?? callback.json ?? null }),
    response: answer,
  });
  await world.ledger.flushed();
  return { via, method, url, ...answer };
}

async function send(world: World, callback: Callback): Promise<Omit<Delivery, 'via' | 'method' | 'url'>> {
  const headers = new Headers();
  if (callback.via === 'browser') headers.set('accept', 'text/html,application/xhtml+xml');
  if (callback.json) headers.set('content-type', 'application/json');
  const body = callback.json
    ? JSON.stringify(callback.json)
    : callback.form && new URLSearchParams(callback.form);
  try {
    const response = await fetch(callback.url, {
      method: callback.method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.any([world.closing, AbortSignal.timeout(ANSWER_LIMIT_MS)]),
      ...(body === undefined ? {} : { body }),
    });
    const location = response.headers.get('location');
    const text = await response.text();
    return {
      status: response.status,
      ...(location === null ? {} : { location }),
      body: text.slice(0, BODY_LIMIT),
    };
  } catch (error) {
    return { error: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
