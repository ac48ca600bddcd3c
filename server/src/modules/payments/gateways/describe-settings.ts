import type { TSchema } from 'typebox';

import { definitions } from './definitions.ts';
import type { GatewayName } from './gateway.ts';

/** One environment variable of a gateway. */
export interface GatewaySetting {
  /** `GATEWAY_AGGREGATOR_STORE_ID`. */
  readonly variable: string;
  readonly isRequired: boolean;
  readonly meaning: string;
}

/** The settings of every gateway there is, out of the schemas that check them; the documentation shows them. */
export function describeGatewaySettings(): { gateway: GatewayName; settings: GatewaySetting[] }[] {
  return definitions.map(({ name, configSchema }) => {
    const required = new Set((configSchema.required ?? []) as readonly string[]);
    const settings = Object.entries(configSchema.properties as Record<string, TSchema>).map(
      ([key, schema]) => ({
        variable: `GATEWAY_${name}_${key}`.toUpperCase(),
        isRequired: required.has(key),
        meaning: 'description' in schema ? String(schema.description) : '',
      }),
    );
    return { gateway: name, settings };
  });
}
