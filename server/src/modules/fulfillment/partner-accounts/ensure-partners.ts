import type { Database, Tx } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import { checkPartnerConfig, checkPartnerCredentials } from '../partners/definitions.ts';
import { plainPartnerConfig } from '../partners/generic/index.ts';
import { sealCredentials } from './partner-directory.ts';
import { findPartnerByName, insertPartner, setPartnerCredentials, updatePartner } from './partner-store.ts';

/** `PARTNER_<NAME>_<KEY>` as `{name: {key: value}}`, lower case; the sandbox tells its own in the same form. */
export type PartnerVariables = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface ConfiguredPartner {
  readonly name: string;
  readonly kind: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly credentials: Readonly<Record<string, string>>;
}

export const configuredNames = {
  giftCards: 'Reloadly gift cards',
  airtime: 'Reloadly airtime',
  generic: 'Generic partner',
} as const;

/**
 * Makes the partners that the environment names, or brings their addresses and credentials up to date. What operators
 * changed besides stays. @throws VALIDATION_ERROR when one is configured by half.
 */
export async function ensurePartners(
  deps: { readonly db: Database; readonly box: SecretBox },
  variables: PartnerVariables,
): Promise<void> {
  for (const partner of partnersIn(variables)) {
    checkPartnerCredentials(partner.kind, partner.credentials);
    checkPartnerConfig(partner.kind, partner.config);
    await inTransaction(deps.db, (tx) => ensurePartner(tx, deps.box, partner));
  }
}

async function ensurePartner(tx: Tx, box: SecretBox, partner: ConfiguredPartner): Promise<void> {
  const { name, kind, config, credentials } = partner;
  const credentialsSealed = sealCredentials(box, credentials);
  const known = await findPartnerByName(tx, name);
  if (!known) {
    const made = {
      name,
      kind,
      config,
      credentialsSealed,
      status: 'active',
      balanceThresholdMinor: null,
    } as const;
    await insertPartner(tx, made);
    return;
  }
  if (known.kind !== kind) return;
  const { id, balance_threshold_minor: balanceThresholdMinor } = known;
  await updatePartner(tx, {
    id,
    name,
    config: { ...config, ...known.config, ...addressesIn(config) },
    balanceThresholdMinor,
  });
  await setPartnerCredentials(tx, { id, credentialsSealed });
}

/** Where it is: the environment knows better than what was stored. */
const addressesIn = (config: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(config).filter(([key]) => key.endsWith('base_url') || key === 'audience'),
  );

function partnersIn({ reloadly, generic }: PartnerVariables): ConfiguredPartner[] {
  return [...(reloadly ? reloadlyPartners(reloadly) : []), ...(generic ? [genericPartner(generic)] : [])];
}

const RELOADLY = 'reloadly.com';

function reloadlyPartners(given: Readonly<Record<string, string>>): ConfiguredPartner[] {
  const credentials = { client_id: given['client_id'] ?? '', client_secret: given['client_secret'] ?? '' };
  const of = (product: 'giftcards' | 'topups') => ({
    auth_base_url: given['auth_base_url'] ?? `https://auth.${RELOADLY}`,
    base_url: given[`${product}_base_url`] ?? `https://${product}.${RELOADLY}`,
    audience: given[`${product}_audience`] ?? `https://${product}.${RELOADLY}`,
  });
  return [
    { name: configuredNames.giftCards, kind: 'reloadly-gift-cards', config: of('giftcards'), credentials },
    { name: configuredNames.airtime, kind: 'reloadly-airtime', config: of('topups'), credentials },
  ];
}

function genericPartner(given: Readonly<Record<string, string>>): ConfiguredPartner {
  return {
    name: configuredNames.generic,
    kind: 'generic',
    config: { ...plainPartnerConfig, base_url: given['base_url'] ?? '' },
    credentials: { api_key: given['api_key'] ?? '' },
  };
}
