import { Type } from 'typebox';
import type { Static } from 'typebox';

import { auditActor } from '../../../platform/audit.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { AdminCaller, Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import {
  fillBodySchema,
  filledSchema,
  generateBodySchema,
  generatedSchema,
  generationSchema,
  toEntries,
  toGenerated,
  toGeneration,
} from './code-wire.ts';
import { fillCodes } from './fill-codes.ts';
import type { FillDeps, FillSource } from './fill-codes.ts';
import { generateCodes } from './generate-codes.ts';
import type { GenerateDeps } from './generate-codes.ts';
import { listGenerations } from './generation-store.ts';
import { readCodeFile } from './read-code-file.ts';

export type StockRoutesDeps = GenerateDeps & FillDeps;

const tag = 'Redemption';
const read = { permission: 'redemption:read' } as const;
const write = { permission: 'redemption:write' } as const;
const params = Type.Object({ id: Type.Integer({ minimum: 1 }) });
/** As for stock import (decisions part 1). */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024;
const MOST_CODES = 50_000;

/** Where codes and what they reveal come from. */
export function stockRoutes(deps: StockRoutesDeps): Endpoint[] {
  return [generateRoute(deps), generationsRoute(deps), fillRoute(deps)];
}

function generateRoute(deps: StockRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/redemption/campaigns/:id/codes/generate',
    access: write,
    summary: 'Generate codes',
    description:
      'With `entries` each code has its voucher code and is `unused`; with `count` they are `pending_stock`. All or ' +
      'nothing. Progress: GET …/generations.',
    tag,
    params,
    body: generateBodySchema,
    data: generatedSchema,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
    bodyLimitBytes: BODY_LIMIT_BYTES,
    handle: async (call) => {
      const { entries, count, code_length: codeLength } = call.body;
      if ((entries === undefined) === (count === undefined)) {
        throw fieldError('entries', 'Send either entries or count');
      }
      const generated = await generateCodes(deps, {
        campaignId: call.params.id,
        count: entries?.length ?? count ?? 0,
        entries: entries ? toEntries(entries) : null,
        codeLength,
        actor: auditActor(call),
      });
      const data = toGenerated(generated, entries ? 'unused' : 'pending_stock');
      return answer(data, { message: `${data.created} code(s) generated` });
    },
  });
}

function generationsRoute(deps: StockRoutesDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/redemption/campaigns/:id/generations',
    access: read,
    summary: 'Runs of the generator, the newest first, with their progress',
    tag,
    params,
    query: Type.Object({ ...pageQuery }),
    data: pageSchema(generationSchema),
    handle: async ({ params: { id }, query: { page, limit } }) => {
      const wanted = { campaignId: id, limit, offset: (page - 1) * limit };
      const { rows, total } = await listGenerations(deps.db, wanted);
      return pageOf(rows.map(toGeneration), { page, limit, total });
    },
  });
}

function fillRoute(deps: StockRoutesDeps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/redemption/campaigns/:id/codes/fill',
    access: write,
    summary: 'Put voucher codes behind codes that wait for theirs',
    description:
      'From `entries`, a file (`csv`) or the vault (`from_vault`), in the order the codes were generated. All or nothing.',
    tag,
    params,
    body: fillBodySchema,
    data: filledSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    bodyLimitBytes: BODY_LIMIT_BYTES,
    handle: async (call) => {
      const source = sourceOf(call.body, call.caller);
      const { filled, pending } = await fillCodes(deps, {
        campaignId: call.params.id,
        source,
        actor: auditActor(call),
      });
      return answer({ filled, pending_stock: pending }, { message: `${filled} code(s) filled` });
    },
  });
}

function sourceOf(body: Static<typeof fillBodySchema>, caller: AdminCaller): FillSource {
  const { entries, csv, from_vault: vault } = body;
  if ([entries, csv, vault].filter((given) => given !== undefined).length !== 1) {
    throw fieldError('entries', 'Send one of entries, csv and from_vault');
  }
  if (vault) {
    if (!caller.permissions.has('vouchers:write')) {
      throw new AppError('FORBIDDEN', 'Taking codes out of the stock needs the permission vouchers:write');
    }
    return { kind: 'vault', variantId: vault.variant_id ?? null, units: vault.count };
  }
  const given = entries ? toEntries(entries) : readCodeFile(csv ?? '');
  if (given.length > MOST_CODES) throw fieldError('csv', `At most ${MOST_CODES} voucher codes at a time`);
  return { kind: 'given', entries: given };
}
