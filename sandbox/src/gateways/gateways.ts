import { createBkash } from "./bkash/bkash.ts";
import type { GatewayFactory } from "./gateway.ts";
import { createSslcommerz } from "./sslcommerz/sslcommerz.ts";

/** Every gateway of the sandbox; a new one is a folder and a line. */
export const GATEWAYS: readonly GatewayFactory[] = [createSslcommerz, createBkash];
