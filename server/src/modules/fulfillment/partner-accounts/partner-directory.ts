import type { Database } from '../../../platform/db/database.ts';
import type { OutboundClient } from '../../../platform/outbound/outbound-client.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { buildPartner } from '../partners/definitions.ts';
import type { Partner } from '../partners/partner.ts';
import { createPartnerLine, usualLimits } from './partner-line.ts';
import type { LineLimits, PartnerLine } from './partner-line.ts';
import { findPartner } from './partner-store.ts';
import type { PartnerRow } from './partner-store.ts';
import { createPartnerTokens } from './token-store.ts';

/** A stored partner, ready to be spoken to. */
export interface OpenPartner {
  readonly row: PartnerRow;
  readonly line: PartnerLine;
  /** Its credentials, to be masked in whatever is kept. */
  readonly secrets: readonly string[];
  /**
   * @param http what its calls go through: the line, or something around it.
   * @throws VALIDATION_ERROR when it is not configured whole.
   */
  readonly build: (http: OutboundClient) => Partner;
}

export interface PartnerDirectory {
  /** The partner as it is configured at this moment. @throws Error when there is none. */
  open(partnerId: number): Promise<OpenPartner>;
  line(partnerId: number): PartnerLine;
}

export interface DirectoryDeps {
  readonly db: Database;
  readonly box: SecretBox;
  readonly http: OutboundClient;
  readonly lineLimits?: LineLimits;
}

/** Partners by id. The lines, with their breakers, live as long as the process. */
export function createPartnerDirectory(deps: DirectoryDeps): PartnerDirectory {
  const lines = new Map<number, PartnerLine>();
  const lineOf = (partnerId: number): PartnerLine => {
    const line = lines.get(partnerId) ?? createPartnerLine(deps.http, deps.lineLimits ?? usualLimits);
    lines.set(partnerId, line);
    return line;
  };
  return {
    line: lineOf,
    async open(partnerId) {
      const row = await findPartner(deps.db, partnerId);
      if (!row) throw new Error(`There is no partner ${partnerId}`);
      const credentials = openCredentials(deps.box, row);
      const line = lineOf(partnerId);
      const tokens = createPartnerTokens(deps, partnerId);
      return {
        row,
        line,
        secrets: Object.values(credentials).filter((value) => value.length > 3),
        build: (http) =>
          buildPartner(
            { kind: row.kind, config: row.config, credentials },
            { http, tokenHttp: line, tokens },
          ),
      };
    },
  };
}

function openCredentials(box: SecretBox, row: PartnerRow): Record<string, string> {
  if (!row.credentials_sealed) return {};
  return JSON.parse(box.open(row.credentials_sealed, CREDENTIALS)) as Record<string, string>;
}

/** Where credentials stand, for the secret box. */
export const CREDENTIALS = 'partners.credentials';

export function sealCredentials(box: SecretBox, credentials: Readonly<Record<string, string>>): Buffer {
  return box.seal(JSON.stringify(credentials), CREDENTIALS);
}
