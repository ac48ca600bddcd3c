-- Why: what is sold and how it is shown. Owner of every table here: catalogue.
-- Locks: none (new tables). Undo: drop them in reverse order.

CREATE TABLE brands (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name        text        NOT NULL,
  name_bn     text,
  slug        text        NOT NULL CONSTRAINT brands__slug UNIQUE,
  description text,
  image_url   text,
  is_active   boolean     NOT NULL DEFAULT true,
  sort_order  integer     NOT NULL DEFAULT 0,
  created_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE categories (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  parent_id   bigint      REFERENCES categories ON DELETE RESTRICT,
  name        text        NOT NULL,
  name_bn     text,
  slug        text        NOT NULL CONSTRAINT categories__slug UNIQUE,
  description text,
  image_url   text,
  is_active   boolean     NOT NULL DEFAULT true,
  sort_order  integer     NOT NULL DEFAULT 0,
  created_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT categories__not_own_parent CHECK (parent_id IS DISTINCT FROM id)
);
CREATE INDEX categories__by_parent ON categories (parent_id);

CREATE TABLE tags (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text        NOT NULL,
  name_bn    text,
  slug       text        NOT NULL CONSTRAINT tags__slug UNIQUE,
  is_active  boolean     NOT NULL DEFAULT true,
  sort_order integer     NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE product_types (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text        NOT NULL,
  name_bn    text,
  slug       text        NOT NULL CONSTRAINT product_types__slug UNIQUE,
  is_active  boolean     NOT NULL DEFAULT true,
  sort_order integer     NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE products (
  id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  brand_id           bigint      NOT NULL REFERENCES brands ON DELETE RESTRICT,
  category_id        bigint      NOT NULL REFERENCES categories ON DELETE RESTRICT,
  product_type_id    bigint      NOT NULL REFERENCES product_types ON DELETE RESTRICT,
  name               text        NOT NULL,
  name_bn            text,
  slug               text        NOT NULL CONSTRAINT products__slug UNIQUE,
  description        text,
  description_bn     text,
  image_url          text,
  status             text        NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'active', 'archived')),
  -- CODE delivers a code, TOPUP credits an account (decisions part 3).
  mode               text        NOT NULL DEFAULT 'CODE' CHECK (mode IN ('CODE', 'TOPUP')),
  -- {fields: [{name, label, label_bn?, type, required, pattern?, options?}]}; legacy rows may hold the old arrays.
  fulfillment_config jsonb       NOT NULL DEFAULT '{"fields": []}',
  sort_order         integer     NOT NULL DEFAULT 0,
  created_at         timestamptz NOT NULL DEFAULT now(),
  updated_at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX products__by_brand ON products (brand_id);
CREATE INDEX products__by_category ON products (category_id);
CREATE INDEX products__by_product_type ON products (product_type_id);

CREATE TABLE product_tags (
  product_id bigint NOT NULL REFERENCES products ON DELETE CASCADE,
  tag_id     bigint NOT NULL REFERENCES tags ON DELETE RESTRICT,
  PRIMARY KEY (product_id, tag_id)
);
CREATE INDEX product_tags__by_tag ON product_tags (tag_id);

CREATE TABLE product_variants (
  id                     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  product_id             bigint      NOT NULL REFERENCES products ON DELETE RESTRICT,
  name                   text        NOT NULL,
  name_bn                text,
  sku                    text        NOT NULL CONSTRAINT product_variants__sku UNIQUE,
  price_minor            bigint      NOT NULL CHECK (price_minor BETWEEN 0 AND 100000000000),
  compare_at_price_minor bigint      CHECK (compare_at_price_minor BETWEEN 0 AND 100000000000),
  currency               char(3)     NOT NULL DEFAULT 'BDT',
  engine                 text        NOT NULL DEFAULT 'PRELOADED' CHECK (engine IN ('PRELOADED', 'PARTNER')),
  max_quantity           integer     NOT NULL DEFAULT 10 CHECK (max_quantity BETWEEN 1 AND 100),
  is_active              boolean     NOT NULL DEFAULT true,
  sort_order             integer     NOT NULL DEFAULT 0,
  created_at             timestamptz NOT NULL DEFAULT now(),
  updated_at             timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX product_variants__by_product ON product_variants (product_id);

CREATE TABLE payment_methods (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- One of the five values of interface part 4.
  method         text        NOT NULL CONSTRAINT payment_methods__method UNIQUE,
  name           text        NOT NULL,
  name_bn        text,
  description    text,
  image_url      text,
  min_minor      bigint,
  max_minor      bigint,
  is_active      boolean     NOT NULL DEFAULT true,
  sort_order     integer     NOT NULL DEFAULT 0,
  created_at     timestamptz NOT NULL DEFAULT now(),
  updated_at     timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE faqs (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  category   text,
  question   text        NOT NULL,
  answer     text        NOT NULL,
  question_bn text,
  answer_bn  text,
  is_active  boolean     NOT NULL DEFAULT true,
  sort_order integer     NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE homepage_banners (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  title      text        NOT NULL,
  title_bn   text,
  image_url  text,
  link_url   text,
  starts_at  timestamptz,
  ends_at    timestamptz,
  is_active  boolean     NOT NULL DEFAULT true,
  sort_order integer     NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE homepage_sections (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  title      text        NOT NULL,
  title_bn   text,
  layout     text        NOT NULL DEFAULT 'grid' CHECK (layout IN ('grid', 'carousel', 'list')),
  starts_at  timestamptz,
  ends_at    timestamptz,
  is_active  boolean     NOT NULL DEFAULT true,
  sort_order integer     NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE homepage_section_items (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  section_id bigint      NOT NULL REFERENCES homepage_sections ON DELETE CASCADE,
  product_id bigint      NOT NULL REFERENCES products ON DELETE CASCADE,
  sort_order integer     NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT homepage_section_items__once UNIQUE (section_id, product_id)
);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['brands', 'categories', 'tags', 'product_types', 'products', 'product_variants',
    'payment_methods', 'faqs', 'homepage_banners', 'homepage_sections', 'homepage_section_items'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION touch_updated_at()', name || '__touch', name);
    EXECUTE format('CREATE INDEX %I ON %I (sort_order, id)', name || '__in_order', name);
  END LOOP;
END $$;
