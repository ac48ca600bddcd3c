import type { GatewayName } from '../faults/fault-catalogue.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** The gateways that call a merchant's server at an address agreed beforehand, not sent with each payment. */
export const AGREED_IPN = ['multi_wallet', 'dcb'] as const satisfies readonly GatewayName[];
export type AgreedIpn = (typeof AGREED_IPN)[number];

export interface IpnAddresses {
  find(gateway: AgreedIpn): string | undefined;
  /** An empty address ends the agreement. */
  agree(gateway: AgreedIpn, url: string): void;
}

export function openIpnAddresses(ledger: Ledger): IpnAddresses {
  const table = ledger.table<{ url: string }>('ipn_addresses');
  return {
    find: (gateway) => table.get(gateway)?.url || undefined,
    agree: (gateway, url) => table.put(gateway, { url }),
  };
}
