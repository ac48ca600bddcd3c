import {
  constants,
  createPrivateKey,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
  sign,
  verify,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A text encrypted for one side and signed by the other, both base64. */
export interface SealedText {
  sensitiveData: string;
  signature: string;
}

export interface SealKeys {
  ownPrivate: KeyObject;
  theirPublic: KeyObject;
}

const PADDING = constants.RSA_PKCS1_PADDING;
const DIGEST = 'sha256';

/** Keys come as bare base64 DER without PEM armour. */
export function readKeys(own: string, theirs: string): SealKeys {
  return {
    ownPrivate: createPrivateKey({ key: Buffer.from(own, 'base64'), format: 'der', type: 'pkcs8' }),
    theirPublic: createPublicKey({ key: Buffer.from(theirs, 'base64'), format: 'der', type: 'spki' }),
  };
}

/** RSA PKCS#1 v1.5 for the reader, RSA-SHA256 by the writer; 2048 bits hold 245 bytes of text. */
export function seal(value: object, { ownPrivate, theirPublic }: SealKeys): SealedText {
  const text = Buffer.from(JSON.stringify(value));
  return {
    sensitiveData: publicEncrypt({ key: theirPublic, padding: PADDING }, text).toString('base64'),
    signature: sign(DIGEST, text, ownPrivate).toString('base64'),
  };
}

/**
 * The fields inside, or undefined when it was not encrypted for us or not signed by them. The
 * signature covers the text as it came: the order of its fields differs between clients.
 */
export function unseal(
  { sensitiveData, signature }: SealedText,
  keys: SealKeys,
): Record<string, unknown> | undefined {
  try {
    const text = privateDecrypt(
      { key: keys.ownPrivate, padding: PADDING },
      Buffer.from(sensitiveData, 'base64'),
    );
    const genuine = verify(DIGEST, text, keys.theirPublic, Buffer.from(signature, 'base64'));
    return genuine ? (JSON.parse(text.toString()) as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
