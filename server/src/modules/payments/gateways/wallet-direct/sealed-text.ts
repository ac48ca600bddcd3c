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

import { parseObject, text } from '../gateway-answer.ts';
import type { Answer } from '../gateway-answer.ts';

/** JSON that only its reader can open and only its writer can have signed, both base64. */
export interface SealedText {
  readonly sensitiveData: string;
  readonly signature: string;
}

export interface Sealer {
  seal(value: Readonly<Record<string, string>>): SealedText;
  /** @throws Error when it was not encrypted for us or not signed by them. */
  unseal(answer: Answer): Answer;
}

const PADDING = constants.RSA_PKCS1_PADDING;

/**
 * RSA PKCS#1 v1.5 encryption for the reader and signature by the writer over the same text; 2048 bits hold 245 bytes.
 *
 * @param keys bare base64 DER, as Nagad hands them out. @throws Error when one is no key.
 */
export function createSealer(keys: { ownPrivate: string; theirPublic: string; digest: string }): Sealer {
  const der = { format: 'der' } as const;
  const ownPrivate = readKey('private key of the merchant', () =>
    createPrivateKey({ ...der, key: Buffer.from(keys.ownPrivate, 'base64'), type: 'pkcs8' }),
  );
  const theirPublic = readKey('public key of the gateway', () =>
    createPublicKey({ ...der, key: Buffer.from(keys.theirPublic, 'base64'), type: 'spki' }),
  );
  return {
    seal(value) {
      const content = Buffer.from(JSON.stringify(value));
      return {
        sensitiveData: publicEncrypt({ key: theirPublic, padding: PADDING }, content).toString('base64'),
        signature: sign(keys.digest, content, ownPrivate).toString('base64'),
      };
    },
    unseal(answer) {
      const sealed = Buffer.from(text(answer['sensitiveData']), 'base64');
      const content = privateDecrypt({ key: ownPrivate, padding: PADDING }, sealed);
      // Over the text as it came: the order of its fields is theirs.
      const signature = Buffer.from(text(answer['signature']), 'base64');
      if (!verify(keys.digest, content, theirPublic, signature))
        throw new Error('the answer is not signed by Nagad');
      const opened = parseObject(content.toString());
      if (!opened) throw new Error('the sealed answer is no JSON object');
      return opened;
    },
  };
}

function readKey(name: string, read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch (error) {
    throw new Error(`The ${name} is no key in bare base64`, { cause: error });
  }
}
