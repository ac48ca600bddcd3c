-- Why: operators keep pages (terms, privacy, refunds) and the shop's settings; products are published and payment
-- methods rest by a schedule. Owner of every table here: catalogue.
-- Locks: short (new tables, columns without a rewrite). Undo: drop the tables and the columns.

CREATE TABLE pages (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug       text        NOT NULL CONSTRAINT pages__slug UNIQUE,
  title      text        NOT NULL,
  title_bn   text,
  -- Markdown; whoever shows it allows no HTML in it.
  body       text        NOT NULL,
  body_bn    text,
  is_active  boolean     NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- Only what differs from the default; which keys there are and what they may hold is declared in the program.
CREATE TABLE settings (
  key        text        PRIMARY KEY,
  value      jsonb       NOT NULL,
  version    integer     NOT NULL DEFAULT 1,
  updated_by bigint      REFERENCES admins ON DELETE RESTRICT,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- A draft goes on sale, and an active product off it, at these moments; a sweep does it and empties them.
ALTER TABLE products
  ADD COLUMN publish_at timestamptz,
  ADD COLUMN unpublish_at timestamptz;
CREATE INDEX products__to_publish ON products (publish_at) WHERE publish_at IS NOT NULL;
CREATE INDEX products__to_unpublish ON products (unpublish_at) WHERE unpublish_at IS NOT NULL;

-- Not offered between these moments; open-ended when one of them is null and the other is not.
ALTER TABLE payment_methods
  ADD COLUMN maintenance_from timestamptz,
  ADD COLUMN maintenance_until timestamptz;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['pages', 'settings'] LOOP
    EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION touch_updated_at()', name || '__touch', name);
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION raise_catalogue_version()', name || '__version', name);
  END LOOP;
END $$;
