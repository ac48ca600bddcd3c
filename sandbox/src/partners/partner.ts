import type { FastifyInstance } from 'fastify';
import type { World } from '../world.ts';

/** One upstream partner; all of them answer to the fault target `partner`. */
export interface Partner {
  /** The key of its credentials. */
  name: string;
  /** The config our service needs to buy from it, secrets included. */
  config(): Record<string, string>;
  serve(app: FastifyInstance): void;
}

export type PartnerFactory = (world: World) => Partner;
