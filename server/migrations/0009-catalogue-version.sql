-- Why: every process keeps the active catalogue in memory and needs to know, for the price of reading one row,
-- whether it is still right. Owner: catalogue.
-- A table and not a sequence: the new number becomes visible in the same instant as the change it announces; a
-- sequence would show it before the commit, and a reader could keep the old catalogue under the new number for ever.
-- Writers of the catalogue (operators, seldom) take turns on this row until they commit.
-- Locks: none to speak of (small tables). Undo: drop the triggers, the function and the table.

CREATE TABLE catalogue_version (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version  bigint  NOT NULL DEFAULT 1
);
INSERT INTO catalogue_version DEFAULT VALUES;

CREATE FUNCTION raise_catalogue_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE catalogue_version SET version = version + 1;
  RETURN NULL;
END $$;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['brands', 'categories', 'tags', 'product_types', 'products', 'product_tags',
    'product_variants', 'payment_methods', 'faqs', 'homepage_banners', 'homepage_sections', 'homepage_section_items'] LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION raise_catalogue_version()', name || '__version', name);
  END LOOP;
END $$;
