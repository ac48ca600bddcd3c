import type { Schedule } from './schedule-rules.ts';

/** What the storefront shows besides products, as stored. Moments are text: they come out of the database as JSON. */
export interface FaqRow {
  readonly id: number;
  readonly category: string | null;
  readonly question: string;
  readonly question_bn: string | null;
  readonly answer: string;
  readonly answer_bn: string | null;
  readonly sort_order: number;
}

export interface BannerRow extends Schedule {
  readonly id: number;
  readonly title: string;
  readonly title_bn: string | null;
  readonly image_url: string | null;
  readonly link_url: string | null;
  readonly sort_order: number;
}

export interface SectionRow extends Schedule {
  readonly id: number;
  readonly title: string;
  readonly title_bn: string | null;
  readonly layout: string;
  readonly sort_order: number;
  /** In `sort_order`, `id`. */
  readonly items: readonly {
    readonly id: number;
    readonly product_id: number;
    readonly sort_order: number;
  }[];
}

export interface PageRow {
  readonly slug: string;
  readonly title: string;
  readonly title_bn: string | null;
  readonly body: string;
  readonly body_bn: string | null;
  readonly updated_at: string;
}

export interface ContentRows {
  readonly faqs: readonly FaqRow[];
  readonly homepage_banners: readonly BannerRow[];
  readonly homepage_sections: readonly SectionRow[];
  readonly pages: readonly PageRow[];
  /** Setting key → value, where it differs from the default. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The part of the statement that reads the catalogue; see `catalogue-store.ts`. */
export const CONTENT_COLUMNS = `
    (SELECT COALESCE(json_agg(r ORDER BY r.sort_order, r.id), '[]') FROM (
      SELECT id, category, question, question_bn, answer, answer_bn, sort_order
      FROM faqs WHERE is_active) r) AS faqs,
    (SELECT COALESCE(json_agg(r ORDER BY r.sort_order, r.id), '[]') FROM (
      SELECT id, title, title_bn, image_url, link_url, starts_at, ends_at, sort_order
      FROM homepage_banners WHERE is_active) r) AS homepage_banners,
    (SELECT COALESCE(json_agg(r ORDER BY r.sort_order, r.id), '[]') FROM (
      SELECT s.id, s.title, s.title_bn, s.layout, s.starts_at, s.ends_at, s.sort_order,
        (SELECT COALESCE(json_agg(json_build_object('id', i.id, 'product_id', i.product_id,
          'sort_order', i.sort_order) ORDER BY i.sort_order, i.id), '[]')
         FROM homepage_section_items i WHERE i.section_id = s.id) AS items
      FROM homepage_sections s WHERE s.is_active) r) AS homepage_sections,
    (SELECT COALESCE(json_agg(r ORDER BY r.slug), '[]') FROM (
      SELECT slug, title, title_bn, body, body_bn, updated_at FROM pages WHERE is_active) r) AS pages,
    (SELECT COALESCE(json_object_agg(key, value), '{}') FROM settings) AS settings`;
