import type { FastifyRequest } from 'fastify';

import { limitAddress } from '../../../platform/http/throttle-address.ts';
import { userAgentOf } from '../../../platform/user-agent.ts';

/** Who asks, as far as an anonymous request shows it. */
export interface Visitor {
  /** As the socket, or the last proxy that is trusted, gives it; IPv4 also where it came mapped into IPv6. */
  readonly ip: string;
  /** What limits and the 24 hours count by: the IPv4 address, or the /64 of an IPv6 one (decisions 7.3). */
  readonly ipKey: string;
  readonly userAgent: string | null;
}

const LONGEST_ADDRESS = 64;

export function visitorOf(request: Pick<FastifyRequest, 'ip' | 'headers'>): Visitor {
  const address = request.ip.slice(0, LONGEST_ADDRESS);
  const ipKey = limitAddress(address);
  return {
    ip: ipKey.endsWith('/64') ? address : ipKey,
    ipKey,
    userAgent: userAgentOf(request),
  };
}
