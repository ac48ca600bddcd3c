import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';

/** One Ed25519 key as a private JWK (RFC 8037). Plain JSON: it is kept in a file or in configuration. */
export interface TokenKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly alg: 'EdDSA';
  readonly kid: string;
  readonly x: string;
  readonly d: string;
}

/**
 * The keys of both kinds of access token. The first of each signs, all of them verify: to rotate, put a new key in
 * front and drop the old one after the life of an access token.
 */
export interface TokenKeys {
  readonly client: readonly TokenKey[];
  readonly admin: readonly TokenKey[];
}

/** A new key, named after its own thumbprint (RFC 7638). */
export async function generateTokenKey(): Promise<TokenKey> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const { x, d } = await exportJWK(privateKey);
  if (x === undefined || d === undefined)
    throw new Error('The platform made an Ed25519 key without its numbers');
  const kid = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x });
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', kid, x, d };
}

/** Keys ready for use, looked up by id. */
export interface KeyRing {
  readonly signing: { readonly kid: string; readonly key: KeyObject };
  verifyingKey(kid: string): KeyObject | undefined;
}

/** @throws Error when there is no key, an id is used twice, or a key is not an Ed25519 private key. */
export function createKeyRing(keys: readonly TokenKey[]): KeyRing {
  const first = keys[0];
  if (!first) throw new Error('At least one token key is needed');
  const publicKeys = new Map<string, KeyObject>();
  for (const key of keys) {
    if (!key.kid || publicKeys.has(key.kid)) throw new Error(`Token key ids must be unique: "${key.kid}"`);
    publicKeys.set(key.kid, createPublicKey(privateKeyOf(key)));
  }
  return {
    signing: { kid: first.kid, key: privateKeyOf(first) },
    verifyingKey: (kid) => publicKeys.get(kid),
  };
}

function privateKeyOf(key: TokenKey): KeyObject {
  const { kty, crv, x, d } = key;
  if (kty !== 'OKP' || crv !== 'Ed25519') throw new Error(`Token key "${key.kid}" must be an Ed25519 key`);
  return createPrivateKey({ key: { kty, crv, x, d }, format: 'jwk' });
}
