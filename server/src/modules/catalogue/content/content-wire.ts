import { Type } from 'typebox';
import type { Static } from 'typebox';

import { productSchema } from '../catalogue-wire.ts';
import { inLanguage } from '../../../platform/language.ts';
import type { Language } from '../../../platform/language.ts';
import { settingDefinitions, settingKeys, settingOf } from '../settings/setting-definitions.ts';
import type { Shelf } from '../shelf.ts';
import type { BannerRow, FaqRow, PageRow, SectionRow } from './content-rows.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);

export const bannerSchema = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  image_url: nullableText,
  link_url: nullableText,
  sort_order: Type.Integer(),
});

export const sectionSchema = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  layout: Type.Enum(['grid', 'carousel', 'list']),
  sort_order: Type.Integer(),
  items: Type.Array(Type.Object({ id: Type.Integer(), sort_order: Type.Integer(), product: productSchema }), {
    description: 'Only products that are on sale',
  }),
});
type ClientSection = Static<typeof sectionSchema>;

export const faqSchema = Type.Object({
  id: Type.Integer(),
  category: nullableText,
  question: Type.String(),
  answer: Type.String(),
  sort_order: Type.Integer(),
});

export const pageContentSchema = Type.Object({
  slug: Type.String(),
  title: Type.String(),
  body: Type.String({ description: 'Markdown' }),
  updated_at: Type.String(),
});

const publicKeys = settingKeys.filter((key) => settingDefinitions[key].isPublic);

export const publicSettingsSchema = Type.Object({
  currency: Type.Literal('BDT'),
  ...Object.fromEntries(publicKeys.map((key) => [key, settingDefinitions[key].schema])),
  languages: Type.Array(Type.String()),
  pages: Type.Array(Type.Object({ slug: Type.String(), title: Type.String() })),
});

export function bannerToWire(row: BannerRow, language: Language): Static<typeof bannerSchema> {
  const { id, image_url, link_url, sort_order } = row;
  return { id, title: inLanguage(language, row.title, row.title_bn), image_url, link_url, sort_order };
}

export function sectionToWire(row: SectionRow, shelf: Shelf, language: Language): ClientSection {
  return {
    id: row.id,
    title: inLanguage(language, row.title, row.title_bn),
    layout: row.layout as ClientSection['layout'],
    sort_order: row.sort_order,
    items: row.items.flatMap(({ id, product_id, sort_order }) => {
      const product = shelf.findProduct(product_id);
      return product ? [{ id, sort_order, product: shelf.show(product, language, 'price') }] : [];
    }),
  };
}

export function faqToWire(row: FaqRow, language: Language): Static<typeof faqSchema> {
  return {
    id: row.id,
    category: row.category,
    question: inLanguage(language, row.question, row.question_bn),
    answer: inLanguage(language, row.answer, row.answer_bn),
    sort_order: row.sort_order,
  };
}

export function pageToWire(row: PageRow, language: Language): Static<typeof pageContentSchema> {
  return {
    slug: row.slug,
    title: inLanguage(language, row.title, row.title_bn),
    body: inLanguage(language, row.body, row.body_bn),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

export function publicSettingsToWire(shelf: Shelf, language: Language): Static<typeof publicSettingsSchema> {
  const { settings, pages } = shelf.rows;
  return {
    currency: 'BDT',
    ...Object.fromEntries(publicKeys.map((key) => [key, settingOf(settings, key)])),
    languages: ['en', 'bn'],
    pages: pages.map((row) => ({ slug: row.slug, title: inLanguage(language, row.title, row.title_bn) })),
  };
}
