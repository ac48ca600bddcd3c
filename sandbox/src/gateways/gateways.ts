import { createBkash } from './bkash/bkash.ts';
import { createBoostAoc } from './boost-aoc/boost-aoc.ts';
import type { GatewayFactory } from './gateway.ts';
import { createNagad } from './nagad/nagad.ts';
import { createPaystation } from './paystation/paystation.ts';
import { createSslcommerz } from './sslcommerz/sslcommerz.ts';

/** Every gateway of the sandbox; a new one is a folder and a line. */
export const GATEWAYS: readonly GatewayFactory[] = [
  createSslcommerz,
  createBkash,
  createPaystation,
  createBoostAoc,
  createNagad,
];
