import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';

import type { OutboundClient } from '../../../platform/outbound/outbound-client.ts';
import { aggregatorConfigSchema, createAggregator } from './aggregator/index.ts';
import type { Gateway, GatewayName } from './gateway.ts';

interface GatewayDefinition {
  readonly name: GatewayName;
  readonly configSchema: TSchema;
  create(config: never, http: OutboundClient): Gateway;
}

/** Every gateway there is: a sixth is one folder and one line. */
const definitions: readonly GatewayDefinition[] = [
  { name: 'aggregator', configSchema: aggregatorConfigSchema, create: createAggregator },
];

export type GatewaySettings = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Builds the gateways that are configured; a method whose gateway is not is simply not offered.
 *
 * @param settings by gateway name, keys as in `GATEWAY_<NAME>_<KEY>`, lower case.
 * @throws Error that names the variable, when a gateway is configured by half.
 */
export function buildGateways(settings: GatewaySettings, http: OutboundClient): Gateway[] {
  return definitions.flatMap((definition) => {
    const config = settings[definition.name];
    if (!config) return [];
    const problem = Value.Errors(definition.configSchema, config)[0];
    if (problem) {
      const name = problem.instancePath.slice(1) || String(problem.params);
      const prefix = `GATEWAY_${definition.name.toUpperCase()}_`;
      throw new Error(
        `Gateway ${definition.name} is not configured whole: ${prefix}${name.toUpperCase()}: ${problem.message}`,
      );
    }
    // Checked against its own schema just above.
    return [definition.create(config as never, http)];
  });
}
