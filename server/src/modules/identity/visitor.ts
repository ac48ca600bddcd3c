import type { FastifyRequest } from 'fastify';

import { limitAddress } from '../../platform/http/throttle-address.ts';

/** Where a request comes from, for sessions, limits and the audit log. */
export interface Visitor {
  readonly ip: string;
  /** What limits count by: the address, or its /64 for IPv6. */
  readonly limitKey: string;
  readonly userAgent: string | null;
}

const USER_AGENT_CHARACTERS = 300;

export function visitorOf(request: FastifyRequest): Visitor {
  const userAgent = request.headers['user-agent']?.slice(0, USER_AGENT_CHARACTERS) ?? null;
  return { ip: request.ip, limitKey: limitAddress(request.ip), userAgent };
}
