import type { Database } from '../../../platform/db/database.ts';
import { inOneStatement, statement } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import type { PartnerTokens } from '../partners/partner.ts';

const find = statement(
  'partner_tokens_find',
  `SELECT token_sealed FROM partner_tokens
   WHERE partner_id = $1 AND audience = $2 AND expires_at > now() + interval '1 minute'`,
);
const put = statement(
  'partner_tokens_put',
  `INSERT INTO partner_tokens (partner_id, audience, token_sealed, expires_at)
   VALUES ($1, $2, $3, now() + make_interval(secs => $4))
   ON CONFLICT (partner_id, audience)
   DO UPDATE SET token_sealed = excluded.token_sealed, expires_at = excluded.expires_at`,
);

/**
 * A partner's access tokens in the database, sealed: granted to one process, used by all. Two grants at once do no
 * harm with the partners we have: neither ends the other's token.
 */
export function createPartnerTokens(
  deps: { db: Database; box: SecretBox },
  partnerId: number,
): PartnerTokens {
  const contextOf = (audience: string): string => partnerTokenContext(partnerId, audience);
  return {
    async find(audience) {
      const { rows } = await deps.db.query<{ token_sealed: Buffer }>(find, [partnerId, audience]);
      return rows[0] && openToken(deps.box, rows[0].token_sealed, contextOf(audience));
    },
    async keep(audience, { token, lifetimeSeconds }) {
      const sealed = deps.box.seal(token, contextOf(audience));
      await inOneStatement(deps.db, (tx) => tx.query(put, [partnerId, audience, sealed, lifetimeSeconds]));
    },
  };
}

/** Where a token stands, for the secret box. */
export const partnerTokenContext = (partnerId: number, audience: string): string =>
  `partner_tokens:${partnerId}:${audience}`;

/** One that was sealed with a key that is gone is as good as none: another is granted. */
function openToken(box: SecretBox, sealed: Buffer, context: string): string | undefined {
  try {
    return box.open(sealed, context);
  } catch {
    return undefined;
  }
}
