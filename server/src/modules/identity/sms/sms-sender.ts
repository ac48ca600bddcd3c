import type { OutboundClient } from '../../../platform/outbound/outbound-client.ts';

/** Gets a text to a phone. Resolves when the provider has accepted it; never called inside a transaction. */
export interface SmsSender {
  /** @param message.to E.164. @throws when the provider refused it or did not answer. */
  send(message: SmsMessage): Promise<void>;
}

export interface SmsMessage {
  readonly to: string;
  readonly text: string;
}

export interface HttpSmsOptions {
  readonly outbound: OutboundClient;
  /** Where `/sms/send` stands, with or without that path. */
  readonly url: string;
  readonly apiKey: string;
  readonly timeoutMs?: number;
}

/** A provider that takes `POST {url}/sms/send` with JSON `{to, text}` and a bearer key. */
export function createHttpSmsSender(options: HttpSmsOptions): SmsSender {
  const { outbound, url, apiKey, timeoutMs = 5_000 } = options;
  const address = `${url.replace(/\/+$/, '').replace(/\/sms\/send$/, '')}/sms/send`;
  return {
    async send({ to, text }) {
      const response = await outbound.send({
        method: 'POST',
        url: address,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
        body: JSON.stringify({ to, text }),
        timeoutMs,
      });
      // The answer may repeat the text, and with it the code: only its status is told.
      if (response.status >= 300) throw new Error(`The SMS provider answered ${response.status}`);
    },
  };
}
