import { Type } from 'typebox';

import { fieldError } from '../../../platform/errors.ts';
import {
  byFlag,
  byReference,
  flag,
  optionalReference,
  optionalText,
  optionalUrl,
  slug,
  sortOrder,
  text,
} from '../../../platform/resource/fields.ts';
import type { Resource } from '../../../platform/resource/resource.ts';
import { listCategoryAncestors, lockCategoryTree } from './category-store.ts';

/** Where products are filed: brands, categories, tags and product types. */
const permission = { read: 'catalogue:read', write: 'catalogue:write' } as const;

const named = {
  name: text({ max: 200 }),
  name_bn: optionalText(200),
  slug: slug('name'),
};
const shown = { is_active: flag(), sort_order: sortOrder() };
const described = { description: optionalText(5_000), image_url: optionalUrl() };

const shelf = {
  permission,
  search: ['name', 'name_bn', 'slug'],
  sorts: ['sort_order', 'id', 'name', 'slug', 'created_at', 'updated_at'],
} as const;

export const brandResource: Resource = {
  ...shelf,
  name: 'brand',
  tag: 'Brands',
  table: 'brands',
  path: '/brands',
  fields: { ...named, ...described, ...shown },
  filters: { is_active: byFlag('is_active') },
  operations: ['list', 'create', 'get', 'update', 'delete', { reorder: 'PATCH' }],
};

export const categoryResource: Resource = {
  ...shelf,
  name: 'category',
  tag: 'Categories',
  table: 'categories',
  path: '/categories',
  fields: { parent_id: optionalReference(), ...named, ...described, ...shown },
  filters: {
    is_active: byFlag('is_active'),
    parent_id: byReference('parent_id'),
    is_top: {
      schema: Type.Boolean({ description: 'Categories without a parent, or with one' }),
      where: (value) => `(r.parent_id IS NULL) = ${value}`,
    },
  },
  operations: ['list', 'create', 'get', 'update', 'delete', { reorder: 'PATCH' }],
  async check(tx, { id, input }) {
    const parentId = input['parent_id'];
    if (id === undefined || typeof parentId !== 'number') return undefined;
    // Two moves at once could each be fine alone and close a circle together: they take turns.
    await lockCategoryTree(tx);
    const line = await listCategoryAncestors(tx, parentId);
    if (!line.includes(id)) return undefined;
    throw fieldError('parent_id', 'parent_id must not be the category itself or one below it');
  },
};

export const tagResource: Resource = {
  ...shelf,
  name: 'tag',
  tag: 'Tags',
  table: 'tags',
  path: '/tags',
  fields: { ...named, ...shown },
  filters: { is_active: byFlag('is_active') },
  operations: ['list', 'create', 'update', 'delete', { reorder: 'PATCH' }],
};

export const productTypeResource: Resource = {
  ...shelf,
  name: 'product type',
  tag: 'Product types',
  table: 'product_types',
  path: '/product-types',
  fields: { ...named, ...shown },
  filters: { is_active: byFlag('is_active') },
  operations: ['list', 'create', 'get', 'update', 'delete', { reorder: 'PATCH' }],
};
