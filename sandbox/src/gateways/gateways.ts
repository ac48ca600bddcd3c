import type { GatewayFactory } from "./gateway.ts";

/** Every gateway of the sandbox; a new one is a folder and a line. */
export const GATEWAYS: readonly GatewayFactory[] = [];
