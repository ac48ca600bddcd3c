import type { Gateway, GatewayName } from './gateway.ts';

/** The configured gateways. A method without one is not offered. */
export interface Gateways {
  readonly all: readonly Gateway[];
  readonly methods: ReadonlySet<string>;
  forMethod(method: string): Gateway | undefined;
  /** @throws Error when it is not configured: a stored payment needs it. */
  named(name: GatewayName): Gateway;
  find(name: string): Gateway | undefined;
}

export function createGateways(gateways: readonly Gateway[]): Gateways {
  const byName = new Map<string, Gateway>(gateways.map((gateway) => [gateway.name, gateway]));
  const byMethod = new Map(gateways.map((gateway) => [gateway.method, gateway]));
  return {
    all: gateways,
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
  };
}
