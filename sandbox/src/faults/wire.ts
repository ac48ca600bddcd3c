import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { redact, redactUrl } from '../ledger/redact.ts';
import type { World } from '../world.ts';
import type { ArmedFault } from './fault-box.ts';
import type { Call, Fault, Target } from './fault-catalogue.ts';

interface WireConfig {
  target: Target;
  calls: (request: FastifyRequest) => readonly Call[];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    wire?: WireConfig;
  }
  interface FastifyRequest {
    armedFault: ArmedFault | undefined;
  }
}

/** Faults that strike at the wire, whatever the call is about. */
const BEFORE_CALL = ['error_500', 'html', 'rate_limited'] as const satisfies readonly Fault[];
const AFTER_CALL = ['timeout', 'unknown_result', 'slow'] as const satisfies readonly Fault[];
const HOLD_LIMIT_MS = 60_000;
const SLOW_MS = 3_000;
const LEDGER_TEXT_LIMIT = 2_000;

/** Route config: this endpoint stands for `target`, and faults for any of `calls` meet it. */
export function wire(target: Target, ...calls: Call[]): { config: { wire: WireConfig } } {
  return { config: { wire: { target, calls: () => calls } } };
}

/** The same for an endpoint whose call depends on what it was sent. */
export function wireBy(target: Target, calls: WireConfig['calls']): { config: { wire: WireConfig } } {
  return { config: { wire: { target, calls } } };
}

/**
 * Puts faults and the ledger around every route that carries a `wire` config:
 * the exchange is on disk before the answer leaves.
 */
export function guardWire(app: FastifyInstance, world: World): void {
  app.decorateRequest('armedFault', undefined);

  app.addHook('preHandler', async (request, reply) => {
    const about = request.routeOptions.config.wire;
    if (!about) return;
    const fault = world.faults.takeFirst(about.target, [...BEFORE_CALL, ...AFTER_CALL], about.calls(request));
    request.armedFault = fault;
    if (fault && refuse(fault.fault, reply)) return reply;
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const about = request.routeOptions.config.wire;
    if (!about) {
      await world.ledger.flushed();
      return payload;
    }
    world.ledger.record({
      target: about.target,
      call: about.calls(request)[0] ?? 'query',
      ...describeExchange(request, reply, payload),
      ...(request.armedFault ? { fault: request.armedFault.fault } : {}),
    });
    await world.ledger.flushed();
    await hold(request, world.closing);
    return payload;
  });
}

/** Answers in the handler's place; false when the call is to be done. */
function refuse(fault: Fault, reply: FastifyReply): boolean {
  switch (fault) {
    case 'error_500':
      void reply.code(500).send({ message: 'Internal server error' });
      return true;
    case 'rate_limited':
      void reply.code(429).header('retry-after', '1').send({ message: 'Too Many Requests' });
      return true;
    case 'html':
      void reply
        .type('text/html')
        .send('<!doctype html><title>Maintenance</title><h1>We will be back soon</h1>');
      return true;
    default:
      return false;
  }
}

/** The call is done; what is left to decide is whether, and when, its caller hears of it. */
async function hold(request: FastifyRequest, closing: AbortSignal): Promise<void> {
  const fault = request.armedFault;
  if (fault?.fault === 'unknown_result') request.raw.socket.destroy();
  if (fault?.fault === 'timeout') await callerGaveUp(request, { closing, limitMs: HOLD_LIMIT_MS });
  if (fault?.fault === 'slow') await callerGaveUp(request, { closing, limitMs: fault.delayMs ?? SLOW_MS });
}

function callerGaveUp(
  request: FastifyRequest,
  until: { closing: AbortSignal; limitMs: number },
): Promise<void> {
  const { socket } = request.raw;
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      socket.off('close', end);
      until.closing.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, until.limitMs);
    socket.once('close', end);
    until.closing.addEventListener('abort', end);
    if (socket.destroyed || until.closing.aborted) end();
  });
}

function describeExchange(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
  return {
    method: request.method,
    url: redactUrl(request.url),
    request: redact({ headers, body: request.body }),
    response: { status: reply.statusCode, body: redact(parsedBody(payload)) },
  };
}

function parsedBody(payload: unknown): unknown {
  if (typeof payload !== 'string') return null;
  try {
    return JSON.parse(payload);
  } catch {
    return payload.slice(0, LEDGER_TEXT_LIMIT);
  }
}
