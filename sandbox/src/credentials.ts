import { generateKeyPair } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { randomDigits, randomLetters } from './random-text.ts';

/** RSA keys as bare base64 DER without PEM armour, the way Nagad hands them out. */
export interface KeyPair {
  publicKey: string;
  privateKey: string;
}

/** What the sandbox knows of its one customer, our service. Demo values, made at first start. */
export interface Credentials {
  aggregator: { storeId: string; storePassword: string };
  walletTokenized: { username: string; password: string; appKey: string; appSecret: string };
  multiWallet: { merchantId: string; password: string };
  dcb: { apiKey: string; username: string };
  walletDirect: {
    merchantId: string;
    merchantNumber: string;
    merchantKeys: KeyPair;
    gatewayKeys: KeyPair;
  };
  sms: { apiKey: string };
  reloadly: { clientId: string; clientSecret: string };
  partner: { apiKey: string };
  /** Signs the tokens that bKash, Boost and Reloadly hand out. */
  tokenKeys: KeyPair;
}

/** Reads `credentials.json` under `dataDir`, writing it at first start. */
export async function loadCredentials(dataDir: string): Promise<Credentials> {
  const path = join(dataDir, 'credentials.json');
  const stored = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (stored !== undefined) return JSON.parse(stored) as Credentials;
  const made = await makeCredentials();
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // Renamed into place, so that a start that is killed never leaves half a file.
  await writeFile(`${path}.new`, JSON.stringify(made, null, 2), { mode: 0o600 });
  await rename(`${path}.new`, path);
  return made;
}

async function makeCredentials(): Promise<Credentials> {
  const [merchantKeys, gatewayKeys, tokenKeys] = await Promise.all([makeKeys(), makeKeys(), makeKeys()]);
  return {
    aggregator: {
      storeId: `demo${randomLetters(8).toLowerCase()}`,
      storePassword: randomLetters(24),
    },
    walletTokenized: {
      username: `demo${randomDigits(8)}`,
      password: randomLetters(16),
      appKey: randomLetters(26),
      appSecret: randomLetters(52),
    },
    multiWallet: { merchantId: `104-${randomDigits(10)}`, password: randomLetters(16) },
    dcb: { apiKey: randomLetters(32), username: 'demo-vouchers' },
    walletDirect: {
      merchantId: `68${randomDigits(13)}`,
      merchantNumber: `0170${randomDigits(7)}`,
      merchantKeys,
      gatewayKeys,
    },
    sms: { apiKey: randomLetters(32) },
    reloadly: { clientId: randomLetters(32), clientSecret: randomLetters(48) },
    partner: { apiKey: randomLetters(32) },
    tokenKeys,
  };
}

async function makeKeys(): Promise<KeyPair> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  return { publicKey: publicKey.toString('base64'), privateKey: privateKey.toString('base64') };
}
