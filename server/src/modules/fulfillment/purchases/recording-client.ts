import type {
  OutboundClient,
  OutboundRequest,
  OutboundResponse,
} from '../../../platform/outbound/outbound-client.ts';
import { OutboundError } from '../../../platform/outbound/outbound-client.ts';
import type { Clock } from '../../../platform/time.ts';

/** One exchange as it is kept; texts are without credentials. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly requestBody: string | null;
  readonly response: OutboundResponse | undefined;
  readonly error: string | null;
  readonly tookMs: number;
  readonly occurredAt: Date;
}

export interface Recorder {
  /** Must not throw: an answer that cannot be kept is still acted on. */
  readonly keep: (exchange: Exchange) => Promise<void>;
  /** What is masked wherever it stands. */
  readonly secrets: readonly string[];
  readonly clock: Clock;
  /** Given instead of making the call that buys: the answer that an earlier holder kept and did not live to read. */
  readonly replay?: OutboundResponse | undefined;
}

export interface RecordingClient extends OutboundClient {
  /** Whether something that may have bought has left: reads never do. */
  mayHaveBought(): boolean;
}

/** The line to a partner for one purchase: every answer is kept before it is handed on. */
export function recordCalls(http: OutboundClient, recorder: Recorder): RecordingClient {
  let mayHaveBought = false;
  const mask = (text: string): string =>
    recorder.secrets.reduce((masked, secret) => masked.replaceAll(secret, '[secret]'), text);

  async function send(call: OutboundRequest): Promise<OutboundResponse> {
    const buys = call.method !== 'GET';
    if (buys && recorder.replay) {
      mayHaveBought = true;
      return recorder.replay;
    }
    const occurredAt = recorder.clock.now();
    const startedAtMs = Date.now();
    const keep = (end: Pick<Exchange, 'response' | 'error'>): Promise<void> =>
      recorder.keep({
        method: call.method,
        url: mask(call.url),
        requestBody: call.body === undefined ? null : mask(call.body),
        ...end,
        tookMs: Date.now() - startedAtMs,
        occurredAt,
      });
    try {
      const response = await http.send(call);
      mayHaveBought ||= buys;
      await keep({ response, error: null });
      return response;
    } catch (error) {
      const neverSent = error instanceof OutboundError && error.neverSent;
      mayHaveBought ||= buys && !neverSent;
      await keep({ response: undefined, error: mask((error as Error).message).slice(0, 255) });
      throw error;
    }
  }

  return { send, close: () => http.close(), mayHaveBought: () => mayHaveBought };
}
