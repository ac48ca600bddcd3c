import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

type NamedSettings = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What the environment says, checked once. Nothing else in the program reads it. */
export interface Config {
  readonly isProduction: boolean;
  readonly host: string;
  readonly port: number;
  readonly adminPort: number | undefined;
  /** Where browsers and gateways reach the client listener, without a trailing slash. */
  readonly publicUrl: string;
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly redisUrl: string | undefined;
  readonly isDemo: boolean;
  readonly sandboxUrl: string | undefined;
  readonly adminEmail: string;
  readonly adminPassword: string | undefined;
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  readonly smsUrl: string | undefined;
  readonly smsApiKey: string | undefined;
  readonly orderTtlSeconds: number;
  /** Webhooks may lead to private addresses and plain HTTP. */
  readonly webhookAllowPrivate: boolean;
  readonly natsUrl: string | undefined;
  readonly accessTokenMinutes: number;
  readonly throttleScale: number;
  readonly trustProxy: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly metricsToken: string | undefined;
  readonly logLevel: string;
  readonly poolSize: number;
  readonly workerConcurrency: number;
  readonly vaultKeys: string | undefined;
  readonly vaultDigestKey: string | undefined;
  readonly clientTokenKeys: string | undefined;
  readonly adminTokenKeys: string | undefined;
  /** `GATEWAY_<NAME>_<KEY>` as `{name: {key: value}}`, lower case. */
  readonly gateways: NamedSettings;
  /** `PARTNER_RELOADLY_<KEY>` and `PARTNER_GENERIC_<KEY>`, in the same form. */
  readonly partners: NamedSettings;
}

interface Variable {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
}

/** Every variable there is; docs/generated/configuration.md is made from this list. */
export const variables: readonly Variable[] = [
  { name: 'PORT', fallback: '3000', meaning: 'client listener, and all else while ADMIN_PORT is unset' },
  { name: 'HOST', fallback: '127.0.0.1', meaning: 'address both listeners bind' },
  { name: 'ADMIN_PORT', fallback: '', meaning: 'gives the admin API a listener of its own' },
  {
    name: 'PUBLIC_URL',
    fallback: '',
    meaning: 'where browsers and gateways reach us; http://HOST:PORT when unset',
  },
  { name: 'DATABASE_URL', fallback: '', meaning: 'PostgreSQL 15 or later; unset starts the embedded one' },
  { name: 'DATA_DIR', fallback: '.data', meaning: 'embedded database, generated keys, sandbox ledger' },
  { name: 'REDIS_URL', fallback: '', meaning: 'shares request limits between processes' },
  {
    name: 'DEMO',
    fallback: '',
    meaning: 'on | off: demo catalogue, customer and sandbox; on for `npm start`, off in production',
  },
  {
    name: 'SANDBOX_URL',
    fallback: '',
    meaning: 'stand-ins for gateways, partners, SMTP and SMS; `npm start` brings one up on PORT+1',
  },
  { name: 'ADMIN_EMAIL', fallback: 'admin@example.com', meaning: 'first super_admin' },
  { name: 'ADMIN_PASSWORD', fallback: '', meaning: 'its password; printed at first start when unset' },
  { name: 'SMTP_URL', fallback: '', meaning: 'smtp://user:password@host:port; the sandbox when unset' },
  { name: 'MAIL_FROM', fallback: 'Voucher shop <orders@vouchers.example>', meaning: 'sender of all e-mail' },
  { name: 'SMS_URL', fallback: '', meaning: 'SMS gateway; the sandbox when unset' },
  { name: 'SMS_API_KEY', fallback: '', meaning: 'its key' },
  {
    name: 'WEBHOOK_ALLOW_PRIVATE',
    fallback: '',
    meaning: 'on | off: webhooks to private addresses and plain http, for development; on in the demo',
  },
  { name: 'NATS_URL', fallback: '', meaning: 'nats://host:4222: events go to a JetStream stream as well' },
  { name: 'ORDER_TTL', fallback: '30m', meaning: 'how long an unpaid order holds its units: 45s, 30m, 2h' },
  { name: 'ACCESS_TOKEN_MINUTES', fallback: '15', meaning: 'life of an access token, 15 to 60' },
  { name: 'THROTTLE_SCALE', fallback: '1', meaning: 'multiplies the request limits; load tests set it high' },
  { name: 'TRUST_PROXY', fallback: '', meaning: 'CIDRs, comma separated, whose X-Forwarded-For is believed' },
  { name: 'CORS_ORIGINS', fallback: '', meaning: 'origins, comma separated, that browsers may call from' },
  { name: 'METRICS_TOKEN', fallback: '', meaning: 'bearer token of /metrics; required in production' },
  { name: 'LOG_LEVEL', fallback: 'info', meaning: 'silent, error, warn, info or debug' },
  { name: 'DATABASE_POOL', fallback: '20', meaning: 'database connections of one process' },
  { name: 'WORKER_CONCURRENCY', fallback: '8', meaning: 'jobs of one process at a time; 0 runs none' },
  {
    name: 'VAULT_KEYS',
    fallback: '',
    meaning: 'id:base64 of 32 bytes, comma separated, first one seals; generated under DATA_DIR when unset',
  },
  { name: 'VAULT_DIGEST_KEY', fallback: '', meaning: 'base64 of 32 bytes: keyed digests of codes' },
  {
    name: 'TOKEN_KEYS_CLIENT',
    fallback: '',
    meaning: 'JSON array of private Ed25519 JWKs with kid, first one signs customers’ tokens',
  },
  { name: 'TOKEN_KEYS_ADMIN', fallback: '', meaning: 'the same for operators’ tokens' },
];

const GATEWAY = /^GATEWAY_(AGGREGATOR|WALLET_TOKENIZED|MULTI_WALLET|DCB|WALLET_DIRECT)_([A-Z0-9_]+)$/;
const PARTNER = /^PARTNER_(RELOADLY|GENERIC)_([A-Z0-9_]+)$/;
const OURS =
  /^(GATEWAY|PARTNER|SANDBOX|SMS|SMTP|MAIL|VAULT|TOKEN_KEYS|THROTTLE|ORDER|ADMIN|TRUST|METRICS|WORKER|DATABASE|WEBHOOK)_/;

/**
 * Reads the environment.
 *
 * @throws Error that lists everything wrong with it at once, each with what to do.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const given = withFiles(environment, problems);
  refuseUnknown(given, problems);
  const reader = createReader(given, problems);
  const isProduction = given['NODE_ENV'] === 'production';
  const isDemo = readSwitch(given, { name: 'DEMO', fallback: !isProduction }, problems);
  const host = reader.text('HOST');
  const port = reader.number('PORT', 0, 65_535);
  const config: Config = {
    isProduction,
    host,
    port,
    adminPort: given['ADMIN_PORT'] ? reader.number('ADMIN_PORT', 0, 65_535) : undefined,
    publicUrl: (
      reader.optional('PUBLIC_URL') ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`
    ).replace(/\/$/, ''),
    databaseUrl: reader.optional('DATABASE_URL'),
    dataDir: resolve(reader.text('DATA_DIR')),
    redisUrl: reader.optional('REDIS_URL'),
    isDemo,
    sandboxUrl: reader.optional('SANDBOX_URL')?.replace(/\/$/, ''),
    adminEmail: reader.text('ADMIN_EMAIL'),
    adminPassword: reader.optional('ADMIN_PASSWORD'),
    smtpUrl: reader.optional('SMTP_URL'),
    mailFrom: reader.text('MAIL_FROM'),
    smsUrl: reader.optional('SMS_URL'),
    smsApiKey: reader.optional('SMS_API_KEY'),
    orderTtlSeconds: readDuration(reader.text('ORDER_TTL'), problems),
    webhookAllowPrivate: readSwitch(given, { name: 'WEBHOOK_ALLOW_PRIVATE', fallback: isDemo }, problems),
    natsUrl: reader.optional('NATS_URL'),
    accessTokenMinutes: reader.number('ACCESS_TOKEN_MINUTES', 15, 60),
    throttleScale: reader.number('THROTTLE_SCALE', 0.01, 1_000_000),
    trustProxy: reader.list('TRUST_PROXY'),
    corsOrigins: reader.list('CORS_ORIGINS'),
    metricsToken: reader.optional('METRICS_TOKEN'),
    logLevel: reader.text('LOG_LEVEL'),
    poolSize: reader.number('DATABASE_POOL', 2, 500),
    workerConcurrency: reader.number('WORKER_CONCURRENCY', 0, 200),
    vaultKeys: reader.optional('VAULT_KEYS'),
    vaultDigestKey: reader.optional('VAULT_DIGEST_KEY'),
    clientTokenKeys: reader.optional('TOKEN_KEYS_CLIENT'),
    adminTokenKeys: reader.optional('TOKEN_KEYS_ADMIN'),
    gateways: readNamed(given, GATEWAY),
    partners: readNamed(given, PARTNER),
  };
  if (isProduction) problems.push(...productionProblems(config));
  if (problems.length > 0) throw new Error(`The configuration is not usable:\n- ${problems.join('\n- ')}`);
  return config;
}

function createReader(given: Readonly<Record<string, string>>, problems: string[]) {
  const text = (name: string): string =>
    given[name] || (variables.find((known) => known.name === name)?.fallback ?? '');
  return {
    text,
    optional: (name: string): string | undefined => text(name) || undefined,
    list: (name: string): string[] =>
      text(name)
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    number(name: string, least: number, most: number): number {
      const value = Number(text(name));
      if (text(name).trim() === '' || !(value >= least && value <= most)) {
        problems.push(`${name}=${text(name)} must be a number from ${least} to ${most}`);
      }
      return value;
    },
  };
}

/** `NAME_FILE` names a file whose content is the value of `NAME`: how secrets are mounted. */
function withFiles(
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    const target = name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : name;
    if (target === name || !isKnown(target)) {
      given[name] ??= value;
      continue;
    }
    try {
      given[target] = readFileSync(value, 'utf8').trim();
    } catch (error) {
      problems.push(`${name}: cannot read ${value}: ${(error as Error).message}`);
    }
  }
  return given;
}

function isKnown(name: string): boolean {
  return variables.some((variable) => variable.name === name) || GATEWAY.test(name) || PARTNER.test(name);
}

function refuseUnknown(given: Readonly<Record<string, string>>, problems: string[]): void {
  for (const name of Object.keys(given)) {
    if (!OURS.test(name) || isKnown(name)) continue;
    const near = variables.map((variable) => variable.name).find((known) => distance(known, name) <= 3);
    problems.push(`${name} is not a variable of this program${near ? `; did you mean ${near}?` : ''}`);
  }
}

/** Letters to change to get from one name to the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function readSwitch(
  given: Readonly<Record<string, string>>,
  { name, fallback }: { name: string; fallback: boolean },
  problems: string[],
): boolean {
  const value = given[name];
  if (!value) return fallback;
  if (['on', 'true', '1'].includes(value)) return true;
  if (['off', 'false', '0'].includes(value)) return false;
  problems.push(`${name}=${value} must be on or off`);
  return fallback;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

function readDuration(value: string, problems: string[]): number {
  const match = /^(\d+)([smh]?)$/.exec(value);
  const seconds = match ? Number(match[1]) * (UNITS[match[2] || 's'] ?? 1) : Number.NaN;
  if (!(seconds >= 1 && seconds <= 7 * 86_400))
    problems.push(`ORDER_TTL=${value} must be like 45s, 30m or 2h`);
  return seconds;
}

/** `<PREFIX>_<NAME>_<KEY>` as `{name: {key: value}}`. */
function readNamed(given: Readonly<Record<string, string>>, pattern: RegExp): NamedSettings {
  const named: Record<string, Record<string, string>> = {};
  for (const [name, value] of Object.entries(given)) {
    const match = pattern.exec(name);
    if (!match?.[1] || !match[2]) continue;
    (named[match[1].toLowerCase()] ??= {})[match[2].toLowerCase()] = value;
  }
  return named;
}

/** Production starts on nothing that everybody knows (decisions part 10). */
function productionProblems(config: Config): string[] {
  const missing = (name: string, value: string | undefined): string[] =>
    value === undefined ? [`${name} must be set in production`] : [];
  return [
    ...(config.isDemo ? ['DEMO must be off in production'] : []),
    ...(config.sandboxUrl ? ['SANDBOX_URL must not be set in production'] : []),
    ...missing('DATABASE_URL', config.databaseUrl),
    ...missing('PUBLIC_URL', config.publicUrl.startsWith('https://') ? config.publicUrl : undefined),
    ...missing('SMTP_URL', config.smtpUrl),
    ...missing('METRICS_TOKEN', config.metricsToken),
    ...missing('VAULT_KEYS', config.vaultKeys),
    ...missing('VAULT_DIGEST_KEY', config.vaultDigestKey),
    ...missing('TOKEN_KEYS_CLIENT', config.clientTokenKeys),
    ...missing('TOKEN_KEYS_ADMIN', config.adminTokenKeys),
    ...missing('ADMIN_PASSWORD', config.adminPassword),
    ...(config.adminPassword === DEMO_ADMIN_PASSWORD ? ['ADMIN_PASSWORD must not be the demo one'] : []),
  ];
}

export const DEMO_ADMIN_PASSWORD = 'admin-demo-password';
export const DEMO_CUSTOMER = { msisdn: '+8801700000001', password: 'customer-demo-password' } as const;
