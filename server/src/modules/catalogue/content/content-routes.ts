import { Type } from 'typebox';

import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageQuery, pageSchema } from '../../../platform/http/envelope.ts';
import type { CatalogueSnapshot } from '../catalogue-snapshot.ts';
import { shelfRowNotFound } from '../errors.ts';
import { idParams, slugParams } from '../product-routes.ts';
import { cutPage, shelfEndpoint } from '../shelf-endpoint.ts';
import {
  bannerSchema,
  bannerToWire,
  faqSchema,
  faqToWire,
  pageContentSchema,
  pageToWire,
  publicSettingsSchema,
  publicSettingsToWire,
  sectionSchema,
  sectionToWire,
} from './content-wire.ts';

const tag = 'Storefront content';

export function contentEndpoints(snapshot: CatalogueSnapshot): Endpoint[] {
  return [...homepageEndpoints(snapshot), ...textEndpoints(snapshot)];
}

function homepageEndpoints(snapshot: CatalogueSnapshot): Endpoint[] {
  return [
    shelfEndpoint(snapshot, {
      path: '/homepage',
      tag,
      summary: 'The whole homepage: banners and sections whose schedule is on, with their products',
      data: Type.Object({ banners: Type.Array(bannerSchema), sections: Type.Array(sectionSchema) }),
      read: (shelf, { language }) => ({
        banners: shelf.banners.map((row) => bannerToWire(row, language)),
        sections: shelf.sections.map((row) => sectionToWire(row, shelf, language)),
      }),
    }),
    shelfEndpoint(snapshot, {
      path: '/homepage/banners',
      tag,
      summary: 'Banners whose schedule is on',
      query: pageQuery,
      data: pageSchema(bannerSchema),
      read: (shelf, { query, language }) =>
        cutPage(shelf.banners, query, (row) => bannerToWire(row, language)),
    }),
    shelfEndpoint(snapshot, {
      path: '/homepage/sections',
      tag,
      summary: 'Sections whose schedule is on, with their products',
      query: pageQuery,
      data: pageSchema(sectionSchema),
      read: (shelf, { query, language }) =>
        cutPage(shelf.sections, query, (row) => sectionToWire(row, shelf, language)),
    }),
    shelfEndpoint(snapshot, {
      path: '/homepage/sections/:id',
      tag,
      summary: 'One section with its products',
      params: idParams,
      data: sectionSchema,
      errors: ['NOT_FOUND'],
      read(shelf, { params, language }) {
        const row = shelf.sections.find(({ id }) => id === params.id);
        if (!row) throw shelfRowNotFound('section');
        return sectionToWire(row, shelf, language);
      },
    }),
  ];
}

function textEndpoints(snapshot: CatalogueSnapshot): Endpoint[] {
  return [
    shelfEndpoint(snapshot, {
      path: '/faqs',
      tag,
      summary: 'Questions and answers',
      query: { ...pageQuery, category: Type.Optional(Type.String({ maxLength: 100 })) },
      data: pageSchema(faqSchema),
      read(shelf, { query, language }) {
        const { category } = query;
        const found = shelf.rows.faqs.filter((row) => category === undefined || row.category === category);
        return cutPage(found, query, (row) => faqToWire(row, language));
      },
    }),
    shelfEndpoint(snapshot, {
      path: '/pages/:slug',
      tag,
      summary: 'One page: terms, privacy, refund policy',
      params: slugParams,
      data: pageContentSchema,
      errors: ['NOT_FOUND'],
      read(shelf, { params, language }) {
        const row = shelf.rows.pages.find(({ slug }) => slug === params.slug);
        if (!row) throw shelfRowNotFound('page');
        return pageToWire(row, language);
      },
    }),
    shelfEndpoint(snapshot, {
      path: '/settings/public',
      tag,
      summary: 'What a storefront needs to know about the shop: name, support, notice, switches, pages',
      data: publicSettingsSchema,
      read: (shelf, { language }) => publicSettingsToWire(shelf, language),
    }),
  ];
}
