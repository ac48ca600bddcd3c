import type { TObject } from 'typebox';
import { Value } from 'typebox/value';

import { aggregatorConfigSchema, createAggregator } from './aggregator/index.ts';
import { createDcb, dcbConfigSchema } from './dcb/index.ts';
import type { ConfiguredGateway, Gateway, GatewayName, GatewayParts } from './gateway.ts';
import { guardClient } from './guarded-client.ts';
import type { LineHealth } from './guarded-client.ts';
import { createMultiWallet, multiWalletConfigSchema } from './multi-wallet/index.ts';
import { neverThrowing } from './never-throwing.ts';
import { createWalletDirect, walletDirectConfigSchema } from './wallet-direct/index.ts';
import { createWalletTokenized, walletTokenizedConfigSchema } from './wallet-tokenized/index.ts';

interface GatewayDefinition {
  readonly name: GatewayName;
  readonly configSchema: TObject;
  create(config: never, parts: GatewayParts): Gateway;
}

/** Every gateway there is: a sixth is one folder and one line. */
export const definitions: readonly GatewayDefinition[] = [
  { name: 'aggregator', configSchema: aggregatorConfigSchema, create: createAggregator },
  { name: 'wallet_tokenized', configSchema: walletTokenizedConfigSchema, create: createWalletTokenized },
  { name: 'multi_wallet', configSchema: multiWalletConfigSchema, create: createMultiWallet },
  { name: 'dcb', configSchema: dcbConfigSchema, create: createDcb },
  { name: 'wallet_direct', configSchema: walletDirectConfigSchema, create: createWalletDirect },
];

/** By gateway name, keys as in `GATEWAY_<NAME>_<KEY>`, lower case. */
export type GatewaySettings = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface BuiltGateway {
  readonly gateway: ConfiguredGateway;
  readonly health: () => LineHealth;
}

/**
 * Builds the gateways that are configured; a method whose gateway is not is simply not offered.
 *
 * @throws Error that names the variable, when a gateway is configured by half or by a name it does not know.
 */
export function buildGateways(settings: GatewaySettings, parts: GatewayParts): BuiltGateway[] {
  return definitions.flatMap((definition) => {
    const config = settings[definition.name];
    return config ? [build(definition, config, parts)] : [];
  });
}

function build(
  definition: GatewayDefinition,
  config: Readonly<Record<string, string>>,
  parts: GatewayParts,
): BuiltGateway {
  refuseUnlessWhole(definition, config);
  const http = guardClient(parts.http);
  // Checked against its own schema just above.
  const gateway = neverThrowing(definition.create(config as never, { ...parts, http }));
  const { method = gateway.method, segment = gateway.name } = config;
  return { gateway: { ...gateway, method, segment }, health: http.health };
}

function refuseUnlessWhole(definition: GatewayDefinition, config: Readonly<Record<string, string>>): void {
  const { name, configSchema } = definition;
  const variable = (key: string): string => `GATEWAY_${name.toUpperCase()}_${key.toUpperCase()}`;
  const known = Object.keys(configSchema.properties);
  const unknown = Object.keys(config).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new Error(
      `${variable(unknown)} is not known; gateway ${name} takes ${known.map(variable).join(', ')}`,
    );
  }
  const missing = (configSchema.required as string[] | undefined)?.find((key) => !config[key]);
  if (missing !== undefined)
    throw new Error(`Gateway ${name} is not configured whole: ${variable(missing)} is missing`);
  const problem = Value.Errors(configSchema, config)[0];
  if (problem) throw new Error(`${variable(problem.instancePath.slice(1))} ${problem.message}`);
}
