import { setTimeout as wait } from 'node:timers/promises';

import type { Database, Reader, Tx } from '../../platform/db/database.ts';
import { inOneStatement, statement } from '../../platform/db/database.ts';
import { OutboundError } from '../../platform/outbound/outbound-client.ts';
import type { SealedTable } from '../../platform/reseal.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { GrantedToken, TokenCache } from './gateways/gateway.ts';

/** Longer than a grant's time-out: a process that dies with the lease blocks the others no longer. */
const LEASE_SECONDS = 10;
const PATIENCE_MS = 12_000;
const POLL_MS = 50;

interface TokenRow {
  readonly token: Buffer | null;
  readonly lives: boolean;
  readonly granting: boolean;
}

const find = statement(
  'gateway_tokens_find',
  `SELECT token, COALESCE(expires_at > now(), false) AS lives, COALESCE(granting_until > now(), false) AS granting
   FROM gateway_tokens WHERE key = $1`,
);

// One grant at a time whoever asks, two in an hour, and none for a token that has been replaced meanwhile: sealing is
// random, so the stored bytes are the token's version.
const claim = statement(
  'gateway_tokens_claim_grant',
  `INSERT INTO gateway_tokens AS stored (key, granting_until, last_grant_at)
   VALUES ($1, now() + make_interval(secs => $2), now())
   ON CONFLICT (key) DO UPDATE
     SET granting_until = excluded.granting_until, grant_before_that_at = stored.last_grant_at, last_grant_at = now()
     WHERE (stored.granting_until IS NULL OR stored.granting_until <= now())
       AND (stored.grant_before_that_at IS NULL OR stored.grant_before_that_at <= now() - interval '1 hour')
       AND stored.token IS NOT DISTINCT FROM $3
   RETURNING 1`,
);

const put = statement(
  'gateway_tokens_put',
  `UPDATE gateway_tokens
   SET token = $2, expires_at = now() + make_interval(secs => $3), granting_until = NULL WHERE key = $1`,
);

const free = statement(
  'gateway_tokens_free',
  'UPDATE gateway_tokens SET granting_until = NULL WHERE key = $1',
);

const giveBack = statement(
  'gateway_tokens_give_back',
  `UPDATE gateway_tokens SET granting_until = NULL, last_grant_at = grant_before_that_at, grant_before_that_at = NULL
   WHERE key = $1`,
);

export interface GatewayTokenDeps {
  readonly db: Database;
  readonly box: SecretBox;
}

/** Gateways' access tokens in the database, sealed: granted by one process, used by all (gateways/gateway.ts). */
export function createGatewayTokens(deps: GatewayTokenDeps): TokenCache {
  const open = (key: string, row: TokenRow | undefined): string | undefined => openToken(deps.box, key, row);

  return {
    find: async (key) => open(key, await findToken(deps.db, key)),
    async renew(key, { refused, ask }) {
      const patientUntil = Date.now() + PATIENCE_MS;
      for (;;) {
        const row = await findToken(deps.db, key);
        const current = open(key, row);
        if (current !== undefined && current !== refused) return current;
        if (row?.granting !== true) {
          const seen = row?.token ?? null;
          if (await inOneStatement(deps.db, (tx) => claimGrant(tx, key, seen))) return grant(deps, key, ask);
          const now = await findToken(deps.db, key);
          // Neither granted nor being granted by somebody else: the hour's grants are used up.
          if (now?.granting !== true && (now?.token?.equals(seen ?? Buffer.alloc(0)) ?? seen === null))
            throw usedUp();
        }
        if (Date.now() >= patientUntil)
          throw new Error('another process has been granting a token for too long');
        await wait(POLL_MS);
      }
    },
  };
}

function openToken(box: SecretBox, key: string, row: TokenRow | undefined): string | undefined {
  if (!row?.token || !row.lives) return undefined;
  try {
    return box.open(row.token, contextOf(key));
  } catch {
    // Sealed with a key that is gone: as good as no token, since another can be granted.
    return undefined;
  }
}

async function grant(deps: GatewayTokenDeps, key: string, ask: () => Promise<GrantedToken>): Promise<string> {
  try {
    const { token, lifetimeSeconds } = await ask();
    const sealed = deps.box.seal(token, contextOf(key));
    await inOneStatement(deps.db, (tx) => tx.query(put, [key, sealed, lifetimeSeconds]));
    return token;
  } catch (error) {
    // A call that never left was not counted by the gateway either.
    const undo = error instanceof OutboundError && error.neverSent ? giveBack : free;
    await inOneStatement(deps.db, (tx) => tx.query(undo, [key]));
    throw error;
  }
}

async function findToken(reader: Reader, key: string): Promise<TokenRow | undefined> {
  return (await reader.query<TokenRow>(find, [key])).rows[0];
}

async function claimGrant(tx: Tx, key: string, seen: Buffer | null): Promise<boolean> {
  return (await tx.query(claim, [key, LEASE_SECONDS, seen])).count === 1;
}

const usedUp = (): Error =>
  new Error('two tokens have been granted within the hour: no further one may be asked for');

/** A sealed token opened under another key, or anywhere else, is refused. */
const contextOf = (key: string): string => `gateway_tokens:${key}`;

/** The tokens of gateways, for the rotation of keys. */
export const gatewayTokenSeals: readonly SealedTable[] = [
  {
    table: 'gateway_tokens',
    key: [{ text: 'key' }],
    columns: [{ name: 'token', contextOf: ([key]) => contextOf(String(key)) }],
  },
];
