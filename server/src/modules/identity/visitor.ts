import type { FastifyRequest } from 'fastify';

import { limitAddress } from '../../platform/http/throttle-address.ts';
import { userAgentOf } from '../../platform/user-agent.ts';

/** Where a request comes from, for sessions, limits and the audit log. */
export interface Visitor {
  readonly ip: string;
  /** What limits count by: the address, or its /64 for IPv6. */
  readonly limitKey: string;
  readonly userAgent: string | null;
}

export function visitorOf(request: FastifyRequest): Visitor {
  return { ip: request.ip, limitKey: limitAddress(request.ip), userAgent: userAgentOf(request) };
}
