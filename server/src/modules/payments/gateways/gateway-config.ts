import { Type } from 'typebox';

export const milliseconds = (meaning: string) =>
  Type.Optional(Type.String({ pattern: '^[1-9]\\d{2,4}$', description: `${meaning}, in milliseconds` }));

export const address = (meaning: string) =>
  Type.String({ pattern: '^https?://[^?#\\s]*[^?#\\s/]$', description: meaning });

/** A text that must not be empty. */
export const words = (meaning: string) => Type.String({ minLength: 1, description: meaning });

const methods = ['gw_aggregator', 'gw_wallet_tokenized', 'gw_multi_wallet', 'dcb', 'gw_wallet_direct'];

/** What every gateway can be told: `GATEWAY_<NAME>_<KEY>`. All values are text, as the environment has it. */
export const commonConfig = {
  base_url: address("The gateway's address, without a slash at the end"),
  init_timeout_ms: milliseconds('How long opening a session may take; 8000'),
  verify_timeout_ms: milliseconds('How long a proof call may take; 5000'),
  method: Type.Optional(
    Type.String({
      pattern: `^(${methods.join('|')})$`,
      description: 'The method it serves, when not its own',
    }),
  ),
  segment: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9_-]{1,40}$',
      description: 'Path segment of its callbacks, when not its name',
    }),
  ),
};

export interface TimeLimits {
  readonly initMs: number;
  readonly verifyMs: number;
}

const INIT_MS = 8_000;
const VERIFY_MS = 5_000;

export function timeLimitsIn(config: { init_timeout_ms?: string; verify_timeout_ms?: string }): TimeLimits {
  return {
    initMs: Number(config.init_timeout_ms ?? INIT_MS),
    verifyMs: Number(config.verify_timeout_ms ?? VERIFY_MS),
  };
}
