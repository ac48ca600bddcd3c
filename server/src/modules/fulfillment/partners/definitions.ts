import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';

import { AppError } from '../../../platform/errors.ts';
import type { FieldProblem } from '../../../platform/errors.ts';
import {
  createGenericPartner,
  genericConfigSchema,
  genericCredentialsSchema,
  genericOptionsSchema,
} from './generic/index.ts';
import type { Partner, PartnerParts } from './partner.ts';
import {
  airtimeConfigSchema,
  airtimeOptionsSchema,
  createReloadlyAirtime,
} from './reloadly-airtime/index.ts';
import { reloadlyCredentialsSchema } from './reloadly-client.ts';
import {
  createReloadlyGiftCards,
  giftCardConfigSchema,
  giftCardOptionsSchema,
} from './reloadly-gift-cards/index.ts';

interface PartnerDefinition {
  readonly kind: string;
  readonly config: TSchema;
  readonly credentials: TSchema;
  /** What a source of this kind carries besides the partner's product. */
  readonly options: TSchema;
  create(settings: never, parts: PartnerParts): Partner;
}

/** Every kind of partner there is: a fourth is one folder and one line. */
const definitions: readonly PartnerDefinition[] = [
  {
    kind: 'reloadly-gift-cards',
    config: giftCardConfigSchema,
    credentials: reloadlyCredentialsSchema,
    options: giftCardOptionsSchema,
    create: createReloadlyGiftCards,
  },
  {
    kind: 'reloadly-airtime',
    config: airtimeConfigSchema,
    credentials: reloadlyCredentialsSchema,
    options: airtimeOptionsSchema,
    create: createReloadlyAirtime,
  },
  {
    kind: 'generic',
    config: genericConfigSchema,
    credentials: genericCredentialsSchema,
    options: genericOptionsSchema,
    create: createGenericPartner,
  },
];

export const partnerKinds: readonly string[] = definitions.map(({ kind }) => kind);

function definitionOf(kind: string): PartnerDefinition {
  const found = definitions.find((definition) => definition.kind === kind);
  if (!found)
    throw new AppError('VALIDATION_ERROR', `There is no kind of partner ${kind}`, {
      fields: [{ field: 'kind', message: `must be one of ${partnerKinds.join(', ')}` }],
    });
  return found;
}

export interface PartnerSettings {
  readonly kind: string;
  readonly config: unknown;
  readonly credentials: unknown;
}

/** @throws VALIDATION_ERROR that names each wrong field. */
export function buildPartner({ kind, config, credentials }: PartnerSettings, parts: PartnerParts): Partner {
  checkPartnerConfig(kind, config);
  checkPartnerCredentials(kind, credentials);
  // Checked against its own schemas just above.
  return definitionOf(kind).create({ config, credentials } as never, parts);
}

export function checkPartnerConfig(kind: string, config: unknown): void {
  refuseUnless(definitionOf(kind).config, config, 'config');
}

export function checkPartnerCredentials(kind: string, credentials: unknown): void {
  refuseUnless(definitionOf(kind).credentials, credentials, 'credentials');
}

export function checkSourceOptions(kind: string, options: unknown): void {
  refuseUnless(definitionOf(kind).options, options, 'options');
}

function refuseUnless(schema: TSchema, value: unknown, under: string): void {
  const problems: FieldProblem[] = Value.Errors(schema, value).map((problem) => ({
    field: `${under}${problem.instancePath.replaceAll('/', '.')}`,
    message: problem.message,
  }));
  const [first] = problems;
  if (first) throw new AppError('VALIDATION_ERROR', `${first.field} ${first.message}`, { fields: problems });
}
