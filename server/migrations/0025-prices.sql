-- Why: who changed which price when, and price changes that take effect later. Owner of every table here: catalogue.
-- Locks: short (new tables, a trigger). Undo: drop the trigger, the functions and the tables.

-- Append-only; goes only with a variant that was never sold.
CREATE TABLE variant_price_changes (
  id                         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  variant_id                 bigint      NOT NULL REFERENCES product_variants ON DELETE CASCADE,
  -- Null for the first price of a variant.
  old_price_minor            bigint,
  old_compare_at_price_minor bigint,
  price_minor                bigint      NOT NULL,
  compare_at_price_minor     bigint,
  -- Null where no operator wrote it: the demo, a command.
  changed_by                 bigint      REFERENCES admins ON DELETE RESTRICT,
  changed_at                 timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX variant_price_changes__by_variant ON variant_price_changes (variant_id, id DESC);
CREATE TRIGGER variant_price_changes__append_only BEFORE UPDATE ON variant_price_changes
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- A trigger and not the program: whoever changes a price, by whatever way, leaves a line.
CREATE FUNCTION note_price_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO variant_price_changes
    (variant_id, old_price_minor, old_compare_at_price_minor, price_minor, compare_at_price_minor, changed_by)
  VALUES (NEW.id, CASE WHEN TG_OP = 'UPDATE' THEN OLD.price_minor END,
    CASE WHEN TG_OP = 'UPDATE' THEN OLD.compare_at_price_minor END, NEW.price_minor, NEW.compare_at_price_minor,
    NULLIF(current_setting('app.admin_id', true), '')::bigint);
  RETURN NULL;
END $$;
CREATE TRIGGER product_variants__first_price AFTER INSERT ON product_variants
  FOR EACH ROW EXECUTE FUNCTION note_price_change();
CREATE TRIGGER product_variants__price_change AFTER UPDATE OF price_minor, compare_at_price_minor ON product_variants
  FOR EACH ROW WHEN ((OLD.price_minor, OLD.compare_at_price_minor)
    IS DISTINCT FROM (NEW.price_minor, NEW.compare_at_price_minor))
  EXECUTE FUNCTION note_price_change();

-- A row is there until it takes effect or its variant goes.
CREATE TABLE scheduled_prices (
  id                      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  variant_id              bigint      NOT NULL REFERENCES product_variants ON DELETE CASCADE,
  price_minor             bigint      NOT NULL CHECK (price_minor BETWEEN 0 AND 100000000000),
  compare_at_price_minor  bigint      CHECK (compare_at_price_minor BETWEEN 0 AND 100000000000),
  -- Whether compare_at_price_minor is to be written too, null included.
  changes_compare_at      boolean     NOT NULL,
  effective_at            timestamptz NOT NULL,
  scheduled_by            bigint      NOT NULL REFERENCES admins ON DELETE RESTRICT,
  created_at              timestamptz NOT NULL DEFAULT now(),
  -- Saying it again for the same moment replaces it.
  CONSTRAINT scheduled_prices__once UNIQUE (variant_id, effective_at)
);
CREATE INDEX scheduled_prices__due ON scheduled_prices (effective_at, id);
