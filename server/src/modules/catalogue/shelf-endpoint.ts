import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Static, TObject, TProperties, TSchema } from 'typebox';

import type { ErrorCode } from '../../platform/errors.ts';
import { endpoint } from '../../platform/http/endpoint.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { pageOf } from '../../platform/http/envelope.ts';
import type { Page } from '../../platform/http/envelope.ts';
import type { CatalogueSnapshot } from './catalogue-snapshot.ts';
import { languageOf, languageQuery } from '../../platform/language.ts';
import type { Language } from '../../platform/language.ts';
import type { Shelf } from './shelf.ts';

/**
 * A read of the shop that everybody may make: answered from memory, in the language asked for, with a strong `ETag`
 * and 304. Nobody keeps an answer without asking again, so a change is seen as soon as this process has seen it.
 */
export interface ShelfRead<P extends TProperties, Q extends TProperties, D extends TSchema> {
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: P;
  readonly query?: Q;
  readonly data: D;
  readonly errors?: readonly ErrorCode[];
  /** What decides besides the shelf, the parameters and the language. */
  readonly variesBy?: () => string;
  readonly read: (shelf: Shelf, asked: Asked<P, Q>) => Static<D> | Promise<Static<D>>;
}

export interface Asked<P extends TProperties, Q extends TProperties> {
  readonly params: Static<TObject<P>>;
  readonly query: Static<TObject<Q>>;
  readonly language: Language;
}

export function shelfEndpoint<
  D extends TSchema,
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
>(snapshot: CatalogueSnapshot, definition: ShelfRead<P, Q, D>): Endpoint {
  const { path, tag, summary, description, params, query, data, errors, variesBy, read } = definition;
  return endpoint({
    method: 'GET',
    path,
    access: 'anonymous',
    tag,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(params ? { params: Type.Object(params) } : {}),
    query: Type.Object({ ...query, ...languageQuery }),
    data,
    errors: errors ?? [],
    cacheControl: 'public, max-age=0, must-revalidate',
    kept: {
      moment: () => snapshot.current(),
      variesBy: (request) => `${languageIn(request)} ${variesBy?.() ?? ''}`,
      vary: 'accept-language',
    },
    async handle(call) {
      const shelf = await snapshot.current();
      return read(shelf, {
        params: call.params,
        query: call.query as Static<TObject<Q>>,
        language: languageIn(call.request),
      });
    },
  });
}

function languageIn(request: FastifyRequest): Language {
  const { lang } = request.query as { lang?: string };
  return languageOf(lang, request.headers['accept-language']);
}

/** These lists are in memory: cut here. */
export function cutPage<Item, Shown>(
  all: readonly Item[],
  { page, limit }: { readonly page: number; readonly limit: number },
  show: (item: Item) => Shown,
): Page<Shown> {
  const start = (page - 1) * limit;
  return pageOf(all.slice(start, start + limit).map(show), { page, limit, total: all.length });
}
