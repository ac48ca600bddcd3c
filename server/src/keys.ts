import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Config } from './config.ts';
import { generateTokenKey } from './modules/identity/index.ts';
import type { TokenKeys } from './modules/identity/index.ts';
import type { SecretKeys } from './platform/secret-box.ts';

export interface Keys {
  readonly vault: SecretKeys;
  readonly tokens: TokenKeys;
}

interface StoredKeys {
  readonly vaultKeys: string;
  readonly vaultDigestKey: string;
  readonly tokenKeys: TokenKeys;
}

/**
 * The program's keys: from the configuration, or, for development, made once and kept in DATA_DIR/keys.json. Who loses
 * them loses every stored code, so the file is written whole or not at all and never overwritten.
 */
export async function loadKeys(config: Config): Promise<Keys> {
  const isWhole =
    config.vaultKeys && config.vaultDigestKey && config.clientTokenKeys && config.adminTokenKeys;
  const stored = isWhole ? undefined : await readOrMake(join(config.dataDir, 'keys.json'), config.dataDir);
  const client = config.clientTokenKeys
    ? parseJwks('TOKEN_KEYS_CLIENT', config.clientTokenKeys)
    : stored?.tokenKeys.client;
  const admin = config.adminTokenKeys
    ? parseJwks('TOKEN_KEYS_ADMIN', config.adminTokenKeys)
    : stored?.tokenKeys.admin;
  if (!client || !admin) throw new Error('TOKEN_KEYS_CLIENT and TOKEN_KEYS_ADMIN are needed');
  return {
    vault: {
      sealing: parseVaultKeys(config.vaultKeys ?? stored?.vaultKeys ?? ''),
      digesting: parseKey('VAULT_DIGEST_KEY', config.vaultDigestKey ?? stored?.vaultDigestKey ?? ''),
    },
    tokens: { client, admin },
  };
}

async function readOrMake(path: string, folder: string): Promise<StoredKeys> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text !== undefined) return JSON.parse(text) as StoredKeys;
  const made: StoredKeys = {
    vaultKeys: `dev1:${randomBytes(32).toString('base64')}`,
    vaultDigestKey: randomBytes(32).toString('base64'),
    tokenKeys: { client: [await generateTokenKey()], admin: [await generateTokenKey()] },
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, JSON.stringify(made, null, 2), { mode: 0o600 });
  await rename(`${path}.new`, path);
  return made;
}

function parseVaultKeys(text: string): { id: string; key: Buffer }[] {
  return text.split(',').map((part) => {
    const at = part.indexOf(':');
    const id = part.slice(0, at).trim();
    if (at < 1 || id.length > 32) throw new Error('VAULT_KEYS must read id:base64[,id:base64]');
    return { id, key: parseKey(`VAULT_KEYS (${id})`, part.slice(at + 1)) };
  });
}

function parseKey(name: string, text: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== 32) throw new Error(`${name} must be 32 bytes in base64; it has ${key.length}`);
  return key;
}

function parseJwks(name: string, text: string): TokenKeys['client'] {
  try {
    return JSON.parse(text) as TokenKeys['client'];
  } catch (error) {
    throw new Error(`${name} must be a JSON array of private JWKs`, { cause: error });
  }
}
