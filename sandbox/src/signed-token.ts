import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { KeyPair } from './credentials.ts';

export interface TokenClaims {
  /** Who may be called with it. */
  aud: string;
  /** What it is for, where a vendor has several. */
  use: string;
  /** Seconds since 1970. */
  iat: number;
  exp: number;
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT signed RS256, so it outlives a restart without being stored. */
export function signToken(keys: KeyPair, what: { aud: string; use: string; ttlSeconds: number }): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { aud: what.aud, use: what.use, iat, exp: iat + what.ttlSeconds };
  const text = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  const key = createPrivateKey({
    key: Buffer.from(keys.privateKey, 'base64'),
    format: 'der',
    type: 'pkcs8',
  });
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

/** The claims of a token we signed, expired or not; undefined for any other text. */
export function readToken(keys: KeyPair, token: string): TokenClaims | undefined {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const key = createPublicKey({
    key: Buffer.from(keys.publicKey, 'base64'),
    format: 'der',
    type: 'spki',
  });
  const genuine = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    key,
    Buffer.from(signature, 'base64url'),
  );
  return genuine ? (JSON.parse(Buffer.from(claims, 'base64url').toString()) as TokenClaims) : undefined;
}

export function isExpired(claims: TokenClaims): boolean {
  return claims.exp * 1000 <= Date.now();
}
