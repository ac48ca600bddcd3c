import { Type } from 'typebox';

import {
  byFlag,
  choice,
  equals,
  flag,
  optionalMoment,
  optionalText,
  optionalUrl,
  readOnly,
  reference,
  slug,
  sortOrder,
  text,
} from '../../../platform/resource/fields.ts';
import type { Change, Resource } from '../../../platform/resource/resource.ts';
import { refuseEndBeforeStart } from '../content/schedule-rules.ts';

/** What the storefront shows besides products: questions, homepage and pages. */
const permission = { read: 'homepage:read', write: 'homepage:write' } as const;
const HOMEPAGE = 'Homepage';

export const faqResource: Resource = {
  name: 'FAQ',
  tag: 'FAQs',
  table: 'faqs',
  path: '/faqs',
  permission,
  fields: {
    category: optionalText(100),
    question: text({ max: 1_000 }),
    question_bn: optionalText(1_000),
    answer: text({ max: 10_000 }),
    answer_bn: optionalText(10_000),
    is_active: flag(),
    sort_order: sortOrder(),
  },
  search: ['question', 'question_bn', 'answer', 'answer_bn', 'category'],
  filters: { is_active: byFlag('is_active'), category: equals('category', Type.String({ maxLength: 100 })) },
  sorts: ['sort_order', 'id', 'category', 'created_at'],
  operations: ['list', 'create', 'update', 'delete', { reorder: 'PATCH' }],
};

const scheduled = { starts_at: optionalMoment(), ends_at: optionalMoment() };

async function checkSchedule(_tx: unknown, { before, input }: Change): Promise<undefined> {
  refuseEndBeforeStart({ ...before, ...input }, { start: 'starts_at', end: 'ends_at' });
}

export const bannerResource: Resource = {
  name: 'homepage banner',
  tag: HOMEPAGE,
  table: 'homepage_banners',
  path: '/homepage/banners',
  permission,
  fields: {
    title: text({ max: 200 }),
    title_bn: optionalText(200),
    image_url: optionalUrl(),
    link_url: optionalUrl(),
    ...scheduled,
    is_active: flag(),
    sort_order: sortOrder(),
  },
  search: ['title', 'title_bn'],
  filters: { is_active: byFlag('is_active') },
  sorts: ['sort_order', 'id', 'title', 'starts_at', 'ends_at'],
  operations: ['list', 'create', 'update', 'delete', { reorder: 'POST' }],
  check: checkSchedule,
};

const sectionItem = Type.Object({
  id: Type.Integer(),
  product_id: Type.Integer(),
  product_name: Type.String(),
  sort_order: Type.Integer(),
});

export const sectionResource: Resource = {
  name: 'homepage section',
  tag: HOMEPAGE,
  table: 'homepage_sections',
  path: '/homepage/sections',
  permission,
  fields: {
    title: text({ max: 200 }),
    title_bn: optionalText(200),
    layout: choice(['grid', 'carousel', 'list']),
    ...scheduled,
    is_active: flag(),
    sort_order: sortOrder(),
    items: readOnly(Type.Array(sectionItem), {
      select: `(SELECT COALESCE(json_agg(json_build_object('id', i.id, 'product_id', i.product_id,
        'product_name', p.name, 'sort_order', i.sort_order) ORDER BY i.sort_order, i.id), '[]')
        FROM homepage_section_items i JOIN products p ON p.id = i.product_id WHERE i.section_id = r.id)`,
    }),
  },
  search: ['title', 'title_bn'],
  filters: { is_active: byFlag('is_active') },
  sorts: ['sort_order', 'id', 'title', 'starts_at', 'ends_at'],
  operations: ['list', 'create', 'update', 'delete', { reorder: 'POST' }],
  check: checkSchedule,
};

export const sectionItemResource: Resource = {
  name: 'section item',
  tag: HOMEPAGE,
  table: 'homepage_section_items',
  path: '/homepage/sections/:sectionId/items',
  permission,
  fields: {
    section_id: readOnly(Type.Integer()),
    product_id: reference(),
    sort_order: sortOrder(),
  },
  sorts: ['sort_order', 'id'],
  within: {
    param: 'sectionId',
    column: 'section_id',
    table: 'homepage_sections',
    name: 'homepage section',
  },
  operations: ['create', 'update', 'delete', { reorder: 'POST' }],
  conflicts: { homepage_section_items__once: 'This product is in the section already' },
};

export const pageResource: Resource = {
  name: 'page',
  tag: 'Pages',
  table: 'pages',
  path: '/pages',
  permission,
  fields: {
    slug: slug('title'),
    title: text({ max: 200 }),
    title_bn: optionalText(200),
    body: text({ max: 100_000, description: 'Markdown' }),
    body_bn: optionalText(100_000),
    is_active: flag(),
  },
  search: ['title', 'title_bn', 'slug'],
  filters: { is_active: byFlag('is_active') },
  sorts: ['slug', 'id', 'title', 'updated_at'],
  operations: ['list', 'create', 'get', 'update', 'delete'],
};
