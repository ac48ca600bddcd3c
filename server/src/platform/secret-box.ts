import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/**
 * Secrets at rest: AES-256-GCM with the key's id in front of each value, so that keys can be rotated while both
 * are in use, and a keyed digest for equality and uniqueness (a plain hash of a short code is guessed offline).
 *
 * Layout of a sealed value: 1 byte length of the key id, key id, 12 bytes nonce, 16 bytes tag, ciphertext.
 */
export interface SecretBox {
  /** @param context what the value is and where it stands; opening it anywhere else fails. */
  seal(plain: string, context: string): Buffer;
  /** @throws Error when the key is unknown or the value was tampered with or moved. */
  open(sealed: Buffer, context: string): string;
  digest(plain: string, context: string): Buffer;
  keyIdOf(sealed: Buffer): string;
  readonly currentKeyId: string;
}

export interface SecretKeys {
  /** First one seals; all of them open. 32 bytes each. */
  readonly sealing: readonly { readonly id: string; readonly key: Buffer }[];
  readonly digesting: Buffer;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createSecretBox(keys: SecretKeys): SecretBox {
  const byId = new Map(keys.sealing.map(({ id, key }) => [id, key]));
  const current = keys.sealing[0];
  if (!current) throw new Error('The secret box needs at least one key');
  for (const { id, key } of keys.sealing) {
    if (key.length !== 32) throw new Error(`Vault key "${id}" must be 32 bytes, it has ${key.length}`);
  }
  const header = Buffer.concat([Buffer.from([current.id.length]), Buffer.from(current.id)]);

  const keyIdOf = (sealed: Buffer): string => sealed.subarray(1, 1 + (sealed[0] ?? 0)).toString();
  return {
    currentKeyId: current.id,
    keyIdOf,
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([header, nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      const id = keyIdOf(sealed);
      const key = byId.get(id);
      if (!key) throw new Error(`No vault key with id "${id}": add it to VAULT_KEYS`);
      const start = 1 + id.length;
      const nonce = sealed.subarray(start, start + NONCE_BYTES);
      const tag = sealed.subarray(start + NONCE_BYTES, start + NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(context))
        .setAuthTag(tag);
      const body = sealed.subarray(start + NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
    digest: (plain, context) =>
      createHmac('sha256', keys.digesting).update(context).update('\0').update(plain).digest(),
  };
}
