import { createHttpPartner } from './http-partner/http-partner.ts';
import type { PartnerFactory } from './partner.ts';
import { createReloadly } from './reloadly/reloadly.ts';

/** Every partner of the sandbox; a new one is a folder and a line. */
export const PARTNERS: readonly PartnerFactory[] = [createHttpPartner, createReloadly];
