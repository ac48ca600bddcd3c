import { createPublicKey, generateKeyPairSync } from 'node:crypto';

import { SignJWT, UnsecuredJWT, base64url, decodeJwt, importJWK } from 'jose';
import type { JWTPayload } from 'jose';

import type { Audience } from './access-tokens.ts';
import { generateTokenKey } from './token-keys.ts';
import type { TokenKey } from './token-keys.ts';

export interface ForgedToken {
  readonly why: string;
  readonly token: string;
}

export interface Genuine {
  readonly audience: Audience;
  readonly key: TokenKey;
  readonly otherKey: TokenKey;
  /** A token that the guard takes. */
  readonly token: string;
  /** One that the other guard takes. */
  readonly otherToken: string;
  readonly refreshToken: string;
}

type Header = Record<string, unknown>;

/** Tokens that no guard may take, each wrong in one way; many are signed with our own key, so that only that shows. */
export async function forgeTokens(genuine: Genuine): Promise<ForgedToken[]> {
  return [
    ...(await wrongAlgorithms(genuine)),
    ...(await wrongHeaders(genuine)),
    ...(await wrongClaims(genuine)),
    ...brokenForms(genuine),
    { why: 'is for the other guard', token: genuine.otherToken },
    { why: 'is a refresh token', token: genuine.refreshToken },
  ];
}

/** Those of the genuine token: a forgery is wrong in nothing but what its name says. */
const claimsOf = ({ token }: Genuine): JWTPayload => decodeJwt(token);

const headerOf = (genuine: Genuine): Header => ({ alg: 'EdDSA', typ: 'at+jwt', kid: genuine.key.kid });

/** Signs as we do, with some things changed; with nothing changed, the guard takes it. */
export async function sign(
  genuine: Genuine,
  changes: { header?: Header; claims?: Record<string, unknown>; key?: TokenKey } = {},
): Promise<string> {
  const header = { ...headerOf(genuine), ...changes.header };
  const claims = { ...claimsOf(genuine), ...changes.claims };
  const signingKey = await importJWK({ ...(changes.key ?? genuine.key), alg: 'EdDSA' });
  // Headers that the library would refuse to write are signed by hand.
  const text = `${base64url.encode(JSON.stringify(header))}.${base64url.encode(JSON.stringify(claims))}`;
  const signer = new SignJWT({}).setProtectedHeader({ alg: 'EdDSA' });
  if (header['alg'] === 'EdDSA' && !('crit' in header) && !('b64' in header)) {
    return new SignJWT(claims).setProtectedHeader({ ...header, alg: 'EdDSA' }).sign(signingKey);
  }
  const signature = (await signer.sign(signingKey)).split('.')[2];
  return `${text}.${signature}`;
}

async function wrongAlgorithms(genuine: Genuine): Promise<ForgedToken[]> {
  const claims = claimsOf(genuine);
  const { x } = genuine.key;
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const der = publicKey.export({ format: 'der', type: 'spki' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signed = (alg: string, key: Parameters<SignJWT['sign']>[0]) =>
    new SignJWT(claims).setProtectedHeader({ ...headerOf(genuine), alg }).sign(key);
  const stranger = await generateTokenKey();
  const secrets: [string, Uint8Array][] = [
    ['the public key as PEM', Buffer.from(pem)],
    ['the public key as DER', der],
    ['the raw public key', Buffer.from(x, 'base64url')],
    ['the public key as text', Buffer.from(x)],
    ['the key id', Buffer.from(genuine.key.kid)],
    ['a word', Buffer.from('secret')],
  ];
  const unsecured = ['none', 'None', 'NONE', 'nOnE', ''].map((alg) => ({
    why: `has no signature and the algorithm "${alg}"`,
    token: `${base64url.encode(JSON.stringify({ ...headerOf(genuine), alg }))}.${base64url.encode(JSON.stringify(claims))}.`,
  }));
  const symmetric = secrets.flatMap(([name, secret]) =>
    ['HS256', 'HS512'].map(async (alg) => ({
      why: `is ${alg} over ${name}`,
      token: await signed(alg, secret),
    })),
  );
  return [
    ...unsecured,
    { why: 'is unsecured as the library makes it', token: new UnsecuredJWT(claims).encode() },
    ...(await Promise.all(symmetric)),
    { why: 'is RS256 with our key id', token: await signed('RS256', rsa.privateKey) },
    { why: 'is PS256 with our key id', token: await signed('PS256', rsa.privateKey) },
    { why: 'is ES256 with our key id', token: await signed('ES256', ec.privateKey) },
    { why: 'is signed by a stranger with our key id', token: await sign(genuine, { key: stranger }) },
    {
      why: 'is signed with the key of the other guard',
      token: await sign(genuine, { key: genuine.otherKey }),
    },
  ];
}

async function wrongHeaders(genuine: Genuine): Promise<ForgedToken[]> {
  const stranger = await generateTokenKey();
  const { d: _secret, ...strangerPublic } = stranger;
  const headers: [string, Header, TokenKey?][] = [
    ['has no type', { typ: undefined }],
    ['has the type JWT', { typ: 'JWT' }],
    ['has the type of an ID token', { typ: 'id+jwt' }],
    ['has an empty type', { typ: '' }],
    ['has a number for a type', { typ: 1 }],
    ['has no key id', { kid: undefined }],
    ['has an empty key id', { kid: '' }],
    ['has the key id of the other guard', { kid: genuine.otherKey.kid }, genuine.otherKey],
    ['has the key id of a stranger', { kid: stranger.kid }, stranger],
    ['has a path for a key id', { kid: '../../../../dev/null' }],
    ['has SQL for a key id', { kid: "' OR '1'='1" }],
    ['has a name of every object for a key id', { kid: '__proto__' }],
    ['has a list for a key id', { kid: [genuine.key.kid] }],
    ['has a number for a key id', { kid: 0 }],
    ['brings its key along', { jwk: strangerPublic }, stranger],
    ['brings its key along under an unknown id', { jwk: strangerPublic, kid: stranger.kid }, stranger],
    ['points to its keys', { jku: 'https://attacker.example/keys.json' }, stranger],
    ['points to its keys, though we signed it', { jku: 'http://127.0.0.1/keys.json' }],
    ['points to its certificate', { x5u: 'https://attacker.example/cert.pem' }, stranger],
    ['brings a certificate', { x5c: ['MIIB'] }, stranger],
    ['names critical extensions', { crit: ['exp'], exp: 1 }],
    ['names an empty list of critical extensions', { crit: [] }],
    ['is signed over an unencoded payload', { b64: false, crit: ['b64'] }],
    ['names the algorithm in a list', { alg: ['EdDSA'] }],
    ['names no algorithm', { alg: undefined }],
  ];
  return Promise.all(
    headers.map(async ([why, header, key]) => ({
      why,
      token: await sign(genuine, { header, ...(key ? { key } : {}) }),
    })),
  );
}

function wrongClaims(genuine: Genuine): Promise<ForgedToken[]> {
  const { iat = 0 } = claimsOf(genuine);
  const other = genuine.audience === 'client' ? 'admin' : 'client';
  const claims: [string, Record<string, unknown>][] = [
    ['has expired', { iat: iat - 1000, exp: iat - 6 }],
    ['has no expiry', { exp: undefined }],
    ['has text for an expiry', { exp: String(iat + 600) }],
    ['is not valid yet', { nbf: iat + 60 }],
    ['has no moment of issue', { iat: undefined }],
    ['is of another issuer', { iss: 'https://attacker.example' }],
    ['has no issuer', { iss: undefined }],
    ['is for the other audience', { aud: other }],
    ['is for nobody', { aud: undefined }],
    ['is for both audiences', { aud: ['client', 'admin'] }],
    ['is for its audience in other letters', { aud: genuine.audience.toUpperCase() }],
    ['has no subject', { sub: undefined }],
    ['has an empty subject', { sub: '' }],
    ['has the subject 0', { sub: '0' }],
    ['has a negative subject', { sub: '-1' }],
    ['has a fraction for a subject', { sub: '1.0' }],
    ['has an exponent for a subject', { sub: '1e0' }],
    ['has a number for a subject', { sub: Number(claimsOf(genuine).sub) }],
    ['has a subject beyond all numbers', { sub: '99999999999999999999' }],
    ['has SQL for a subject', { sub: '1 OR 1=1' }],
    ['has no session', { sid: undefined }],
    ['has a number for a session', { sid: 7 }],
    ['has a list for a session', { sid: [claimsOf(genuine)['sid']] }],
    ['has a word for a session', { sid: 'a-session' }],
  ];
  return Promise.all(
    claims.map(async ([why, wrong]) => ({ why, token: await sign(genuine, { claims: wrong }) })),
  );
}

function brokenForms({ token }: Genuine): ForgedToken[] {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const richer = base64url.encode(
    JSON.stringify({ ...JSON.parse(new TextDecoder().decode(base64url.decode(payload))), sub: '2' }),
  );
  return [
    { why: 'has another payload under the signature', token: `${header}.${richer}.${signature}` },
    { why: 'has no signature', token: `${header}.${payload}.` },
    { why: 'has half a signature', token: `${header}.${payload}.${signature.slice(0, 43)}` },
    {
      why: 'has a signature of zeros',
      token: `${header}.${payload}.${base64url.encode(new Uint8Array(64))}`,
    },
    { why: 'has a longer signature', token: `${header}.${payload}.${signature}AAAA` },
    { why: 'has two parts', token: `${header}.${payload}` },
    { why: 'has one part', token: header },
    { why: 'has four parts', token: `${token}.${signature}` },
    { why: 'has five parts, as if encrypted', token: `${token}.${payload}.${signature}` },
    { why: 'is JSON', token: JSON.stringify({ protected: header, payload, signature }).replaceAll(' ', '') },
    { why: 'is twice itself', token: `${token}${token}` },
    { why: 'is very long', token: `${header}.${'A'.repeat(6000)}.${signature}` },
    { why: 'has a payload that is no JSON', token: `${header}.AAAA.${signature}` },
    { why: 'has a header that is no JSON', token: `AAAA.${payload}.${signature}` },
    { why: 'is dots', token: '..' },
    { why: 'is null', token: 'null' },
  ];
}
