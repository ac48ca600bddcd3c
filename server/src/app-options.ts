import type { Config } from './config.ts';
import type { Keys } from './keys.ts';
import type { GatewaySettings } from './modules/payments/index.ts';
import type { Database } from './platform/db/database.ts';
import type { Logger } from './platform/log.ts';
import type { Clock } from './platform/time.ts';

/** What the composition root is given: the world, opened by whoever starts the program. */
export interface AppOptions {
  readonly config: Config;
  readonly db: Database;
  readonly log: Logger;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly version: string;
  /** Names of all migrations, for readiness. */
  readonly migrations: readonly string[];
  /** What stands outside: from the configuration, or the sandbox's. */
  readonly outside: {
    readonly gateways: GatewaySettings;
    readonly smtpUrl: string;
    readonly sms: { readonly url: string; readonly apiKey: string } | undefined;
  };
}
