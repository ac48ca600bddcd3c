import { lookup } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { BlockList, isIP } from 'node:net';

import { buildConnector } from 'undici';

/** Asks what a name stands for. An argument, so that a test can be a name server that changes its mind. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true });

/** A URL leads into a network that outsiders must not reach through us. */
export class PrivateAddressError extends Error {
  readonly code = 'PRIVATE_ADDRESS';

  constructor() {
    // Neither the name nor the address: who gave the URL must not learn what our network looks like.
    super('the address is not a public one');
    this.name = 'PrivateAddressError';
  }
}

/** IPv4 that is no host of the public Internet (IANA special-purpose registry, multicast, reserved). */
const notPublic = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  notPublic.addSubnet(network, prefix, 'ipv4');
/** IPv6 inside 2000::/3 that is none either; 2001::/23 holds Teredo, 2002::/16 is 6to4: both carry IPv4 addresses. */
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const)
  notPublic.addSubnet(network, prefix, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address is a host of the public Internet. Mapped, translated and scoped IPv6 addresses are not. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !notPublic.check(address, 'ipv4');
  if (family !== 6 || address.includes('%') || address.includes('.')) return false;
  return globalUnicast.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
}

/** Every address a name stands for. @throws PrivateAddressError when one of them is not public, or none is there. */
export async function resolvePublicly(
  hostname: string,
  resolve: Resolve = systemResolve,
): Promise<readonly LookupAddress[]> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address)))
    throw new PrivateAddressError();
  return addresses;
}

/**
 * Connects to public addresses only. A name is resolved once, every address it has is checked, and the connection is made
 * to one of those: a name server that answers otherwise the next time is not asked.
 */
export function createPublicConnector(options: {
  readonly timeoutMs: number;
  readonly resolve?: Resolve;
}): buildConnector.connector {
  const { timeoutMs, resolve } = options;
  return (target, callback) => {
    resolvePublicly(target.hostname, resolve).then(
      (addresses) => {
        const connect = buildConnector({
          timeout: timeoutMs,
          allowH2: false,
          lookup: (_hostname, asked, answer) => {
            if (asked.all) answer(null, [...addresses]);
            else answer(null, addresses[0]?.address ?? '', addresses[0]?.family ?? 4);
          },
        });
        connect(target, callback);
      },
      (error: Error) => callback(error, null),
    );
  };
}
