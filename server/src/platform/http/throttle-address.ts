import { isIPv6 } from 'node:net';

/**
 * What limits count an address by: an IPv4 address is itself (also when it is written as IPv4-mapped IPv6), an IPv6
 * address is its /64, since one household holds all of those.
 */
export function limitAddress(ip: string): string {
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(ip);
  if (mapped?.[1]) return mapped[1];
  return isIPv6(ip) ? `${ipv6Groups(ip).slice(0, 4).join(':')}::/64` : ip;
}

/** The /24 of an IPv4 address or the /48 of an IPv6 one: for limits on a whole neighbourhood. */
export function neighbourhoodOf(ip: string): string {
  const address = limitAddress(ip);
  if (isIPv6(ip) && address !== ip && address.endsWith('/64')) {
    return `${ipv6Groups(ip).slice(0, 3).join(':')}::/48`;
  }
  return `${address.split('.').slice(0, 3).join('.')}.0/24`;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function ipv6Groups(ip: string): string[] {
  const [address = ''] = ip.split('%');
  const [head = '', tail] = withoutDottedTail(address).split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : 8 - front.length - back.length;
  const groups = [...front, ...Array.from({ length: gap }, () => '0'), ...back];
  return groups.map((group) => Number.parseInt(group, 16).toString(16));
}

/** `64:ff9b::192.0.2.1` ends in an IPv4 address: two groups. */
function withoutDottedTail(address: string): string {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  if (!dotted) return address;
  const [, front = '', ...bytes] = dotted;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
  return `${front}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}
