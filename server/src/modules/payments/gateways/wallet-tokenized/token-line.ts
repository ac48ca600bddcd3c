import { createHash } from 'node:crypto';

import type { OutboundResponse } from '../../../../platform/outbound/outbound-client.ts';
import { readAnswer, text } from '../gateway-answer.ts';
import type { GatewayParts, GrantedToken } from '../gateway.ts';
import { OK, problemIn } from './wallet-tokenized-wire.ts';

export interface TokenLineConfig {
  readonly base_url: string;
  readonly username: string;
  readonly password: string;
  readonly app_key: string;
  readonly app_secret: string;
}

export interface TokenLine {
  /** POSTs JSON with the shared token; once more with a new token when that one is refused. */
  post(url: string, body: object, timeoutMs: number): Promise<OutboundResponse>;
}

const TOKEN_TIMEOUT_MS = 5_000;
/** A token is put away this long before it expires, so that none expires on its way. */
const MARGIN_SECONDS = 300;

/** Calls that need bKash's token, which is rationed: two grants an hour for all our processes together. */
export function createTokenLine(
  config: TokenLineConfig,
  { http, tokens }: Pick<GatewayParts, 'http' | 'tokens'>,
): TokenLine {
  const key = keyOf(config);
  const ask = async (): Promise<GrantedToken> => {
    const response = await http.send({
      method: 'POST',
      url: `${config.base_url}/tokenized/checkout/token/grant`,
      headers: { 'content-type': 'application/json', username: config.username, password: config.password },
      body: JSON.stringify({ app_key: config.app_key, app_secret: config.app_secret }),
      timeoutMs: TOKEN_TIMEOUT_MS,
    });
    const answer = readAnswer(response);
    const token = text(answer['id_token']);
    const code = text(answer['statusCode']) || OK;
    if (!token || code !== OK) throw new Error(`bKash granted no token: ${problemIn(answer)}`);
    return { token, lifetimeSeconds: Math.max(Number(answer['expires_in']) - MARGIN_SECONDS || 0, 60) };
  };
  const send = (
    call: { url: string; body: object; timeoutMs: number },
    token: string,
  ): Promise<OutboundResponse> =>
    http.send({
      method: 'POST',
      url: call.url,
      // The bare token, without "Bearer".
      headers: { 'content-type': 'application/json', authorization: token, 'x-app-key': config.app_key },
      body: JSON.stringify(call.body),
      timeoutMs: call.timeoutMs,
    });

  return {
    async post(url, body, timeoutMs) {
      const call = { url, body, timeoutMs };
      const token = (await tokens.find(key)) ?? (await tokens.renew(key, { refused: undefined, ask }));
      const response = await send(call, token);
      if (response.status !== 401) return response;
      // Refused at the door: nothing was done, so the same call may be made again.
      return send(call, await tokens.renew(key, { refused: token, ask }));
    },
  };
}

/** Other credentials are other tokens. */
function keyOf({ base_url, username, app_key, app_secret }: TokenLineConfig): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([base_url, username, app_key, app_secret]))
    .digest('hex');
  return `wallet_tokenized:${digest.slice(0, 32)}`;
}
