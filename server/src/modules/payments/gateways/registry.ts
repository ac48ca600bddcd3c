import type { BuiltGateway } from './definitions.ts';
import type { ConfiguredGateway, GatewayName } from './gateway.ts';
import type { LineHealth } from './guarded-client.ts';

/** The configured gateways. A method without one is not offered. */
export interface Gateways {
  readonly all: readonly ConfiguredGateway[];
  readonly methods: ReadonlySet<string>;
  forMethod(method: string): ConfiguredGateway | undefined;
  /** @throws Error when it is not configured: a stored payment needs it. */
  named(name: GatewayName): ConfiguredGateway;
  find(name: string): ConfiguredGateway | undefined;
  /** How each one's line is in this process. */
  health(): GatewayHealth[];
}

export interface GatewayHealth extends LineHealth {
  readonly name: GatewayName;
  readonly method: string;
  readonly segment: string;
}

/** @throws Error when two gateways serve one method or one callback address. */
export function createGateways(built: readonly BuiltGateway[]): Gateways {
  const all = built.map(({ gateway }) => gateway);
  const byName = new Map<string, ConfiguredGateway>(all.map((gateway) => [gateway.name, gateway]));
  const byMethod = indexBy(all, 'method');
  indexBy(all, 'segment');
  return {
    all,
    methods: new Set(byMethod.keys()),
    forMethod: (method) => byMethod.get(method),
    find: (name) => byName.get(name),
    named(name) {
      const gateway = byName.get(name);
      if (!gateway)
        throw new Error(
          `Gateway ${name} has payments but no configuration: set GATEWAY_${name.toUpperCase()}_*`,
        );
      return gateway;
    },
    health: () =>
      built.map(({ gateway: { name, method, segment }, health }) => ({ name, method, segment, ...health() })),
  };
}

function indexBy(
  all: readonly ConfiguredGateway[],
  key: 'method' | 'segment',
): Map<string, ConfiguredGateway> {
  const index = new Map<string, ConfiguredGateway>();
  for (const gateway of all) {
    const other = index.get(gateway[key]);
    if (other)
      throw new Error(`Gateways ${other.name} and ${gateway.name} have the same ${key}, ${gateway[key]}`);
    index.set(gateway[key], gateway);
  }
  return index;
}
