import { SignJWT, jwtVerify } from 'jose';
import type { JWTHeaderParameters, JWTPayload } from 'jose';

import type { Clock } from '../../../platform/time.ts';
import { tokenRefused } from '../errors.ts';
import { createKeyRing } from './token-keys.ts';
import type { KeyRing, TokenKey } from './token-keys.ts';

/** Who an access token speaks for. */
export interface TokenSubject {
  readonly holderId: number;
  /** The session it was issued in; ending that ends the token. */
  readonly sessionId: string;
}

export type Audience = 'client' | 'admin';

export interface AccessTokens {
  sign(subject: TokenSubject): Promise<string>;
  /** @throws AppError UNAUTHORIZED unless it is a live token of this audience, signed with one of its keys. */
  verify(token: string): Promise<TokenSubject>;
}

export interface AccessTokenOptions {
  readonly audience: Audience;
  readonly keys: readonly TokenKey[];
  readonly clock: Clock;
  readonly lifeSeconds: number;
}

const ISSUER = 'voucher-commerce';
const TYPE = 'at+jwt';
const ALGORITHM = 'EdDSA';
/** Clocks of our own processes may differ by this much. */
const TOLERANCE_SECONDS = 5;
// Longer than any token of ours: what is longer is not worth parsing.
const MAX_TOKEN_CHARACTERS = 2_048;

/**
 * Access tokens (interface part 5): one algorithm, one type, one audience and a key set for each audience, so that no
 * token made for one guard, or by anybody else, opens another (RFC 8725).
 */
export function createAccessTokens(options: AccessTokenOptions): AccessTokens {
  const { audience, clock, lifeSeconds } = options;
  const ring = createKeyRing(options.keys);
  const known = createVerifiedTokens(clock);
  return {
    async sign({ holderId, sessionId }) {
      const issuedAt = Math.floor(clock.now().getTime() / 1000);
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: ring.signing.kid })
        .setIssuer(ISSUER)
        .setAudience(audience)
        .setSubject(String(holderId))
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifeSeconds)
        .sign(ring.signing.key);
    },
    async verify(token) {
      const seen = known.find(token);
      if (seen) return seen;
      if (token.length > MAX_TOKEN_CHARACTERS) throw tokenRefused();
      const payload = await verifySignature(token, { audience, ring, now: clock.now() });
      const subject = subjectOf(payload);
      known.add(token, { subject, endsAt: (payload.exp ?? 0) * 1000 });
      return subject;
    },
  };
}

async function verifySignature(
  token: string,
  expected: { audience: Audience; ring: KeyRing; now: Date },
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, (header) => keyFor(header, expected.ring), {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer: ISSUER,
      audience: expected.audience,
      requiredClaims: ['sub', 'sid', 'iat', 'exp'],
      currentDate: expected.now,
      clockTolerance: TOLERANCE_SECONDS,
    });
    return payload;
  } catch {
    throw tokenRefused();
  }
}

// A key that the token itself brings or points to is never used; a token that tries is not one of ours.
const FOREIGN_KEY_PARAMETERS = ['jwk', 'jku', 'x5u', 'x5c', 'x5t', 'x5t#S256', 'crit', 'b64'] as const;

function keyFor(header: JWTHeaderParameters, ring: KeyRing) {
  const foreign = FOREIGN_KEY_PARAMETERS.some((name) => name in header);
  const key = foreign || typeof header.kid !== 'string' ? undefined : ring.verifyingKey(header.kid);
  if (!key) throw tokenRefused();
  return key;
}

const HOLDER_ID = /^[1-9]\d{0,14}$/;
const SESSION_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

function subjectOf(payload: JWTPayload): TokenSubject {
  const { sub, aud } = payload;
  const sessionId = payload['sid'];
  // All of them text, and one audience: a token for several guards is not one of ours.
  const isOurs = [sub, aud, sessionId].every((claim) => typeof claim === 'string');
  if (!isOurs || !HOLDER_ID.test(String(sub)) || !SESSION_ID.test(String(sessionId))) throw tokenRefused();
  return { holderId: Number(sub), sessionId: String(sessionId) };
}

interface VerifiedToken {
  readonly subject: TokenSubject;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
}

const REMEMBERED_TOKENS = 10_000;

/**
 * Tokens whose signature was found good: a customer's next request costs a look-up instead of a signature check, which
 * would queue behind password hashing in the thread pool. Keyed by the whole token, so nothing unverified ever hits.
 */
function createVerifiedTokens(clock: Clock) {
  const tokens = new Map<string, VerifiedToken>();
  return {
    find(token: string): TokenSubject | undefined {
      const entry = tokens.get(token);
      if (!entry) return undefined;
      if (entry.endsAt > clock.now().getTime()) return entry.subject;
      tokens.delete(token);
      return undefined;
    },
    add(token: string, entry: VerifiedToken): void {
      const oldest = tokens.size >= REMEMBERED_TOKENS ? tokens.keys().next().value : undefined;
      if (oldest !== undefined) tokens.delete(oldest);
      tokens.set(token, entry);
    },
  };
}
