-- Why: codes that reduce an order's total, never more often than agreed. Owner of every table and function here: discounts.
-- Locks: none (new tables). Undo: drop the tables in reverse order, then the functions.

-- A rule and how often it is used. Room on the page keeps the update of the counter from touching any index.
CREATE TABLE discounts (
  id                   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- As the operator wrote it; discount_codes keeps it unique, whatever its case.
  code                 text        NOT NULL CHECK (code ~ '^[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}$'),
  name                 text        NOT NULL,
  description          text,
  discount_type        text        NOT NULL CHECK (discount_type IN ('PERCENTAGE', 'FIXED')),
  -- Hundredths of a percent (1250 is 12.5 %) or of a taka.
  value_hundredths     bigint      NOT NULL CHECK (value_hundredths BETWEEN 1 AND 100000000000),
  max_discount_minor   bigint      CHECK (max_discount_minor BETWEEN 1 AND 100000000000),
  min_purchase_minor   bigint      CHECK (min_purchase_minor BETWEEN 0 AND 100000000000),
  usage_limit          integer     CHECK (usage_limit >= 1),
  usage_limit_per_user integer     CHECK (usage_limit_per_user >= 1),
  -- Live uses: those of unpaid orders that hold one, and those of paid orders.
  usage_count          integer     NOT NULL DEFAULT 0,
  start_date           timestamptz,
  end_date             timestamptz,
  is_active            boolean     NOT NULL DEFAULT true,
  -- Shown to everybody as an offer.
  is_public            boolean     NOT NULL DEFAULT false,
  first_order_only     boolean     NOT NULL DEFAULT false,
  -- Its own code is only a name then; the codes of its batches can be used, each once.
  unique_codes_only    boolean     NOT NULL DEFAULT false,
  -- An empty list restricts nothing; an item has to be in every list that is not empty.
  variant_ids          bigint[]    NOT NULL DEFAULT '{}',
  product_ids          bigint[]    NOT NULL DEFAULT '{}',
  brand_ids            bigint[]    NOT NULL DEFAULT '{}',
  category_ids         bigint[]    NOT NULL DEFAULT '{}',
  payment_methods      text[]      NOT NULL DEFAULT '{}',
  -- Counts the edits: a use is taken under the very rule that the price was made with.
  revision             integer     NOT NULL DEFAULT 1,
  created_at           timestamptz NOT NULL DEFAULT now(),
  updated_at           timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT discounts__percentage CHECK (discount_type <> 'PERCENTAGE' OR value_hundredths <= 10000),
  CONSTRAINT discounts__window CHECK (end_date > start_date),
  CONSTRAINT discounts__uses_within_limit CHECK (usage_count BETWEEN 0 AND COALESCE(usage_limit, usage_count))
) WITH (fillfactor = 50);
CREATE INDEX discounts__offers ON discounts (id) WHERE is_public AND is_active;

-- Every edit, whoever makes it; counting a use is none, and its UPDATE does not even run this.
CREATE FUNCTION count_discount_edit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.revision := OLD.revision + 1;
  NEW.updated_at := now();
  RETURN NEW;
END $$;
CREATE TRIGGER discounts__count_edit BEFORE UPDATE OF code, name, description, discount_type, value_hundredths,
  max_discount_minor, min_purchase_minor, usage_limit, usage_limit_per_user, start_date, end_date, is_active, is_public,
  first_order_only, unique_codes_only, variant_ids, product_ids, brand_ids, category_ids, payment_methods ON discounts
  FOR EACH ROW EXECUTE FUNCTION count_discount_edit();

-- Codes made under one rule, each good for one use.
CREATE TABLE discount_batches (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  discount_id bigint      NOT NULL REFERENCES discounts ON DELETE CASCADE,
  prefix      text        NOT NULL DEFAULT '' CHECK (prefix ~ '^[A-Z0-9-]{0,20}$'),
  -- Random characters after the prefix.
  code_length integer     NOT NULL CHECK (code_length BETWEEN 8 AND 32),
  wanted      integer     NOT NULL CHECK (wanted BETWEEN 1 AND 1000000),
  generated   integer     NOT NULL DEFAULT 0,
  created_by  bigint      NOT NULL REFERENCES admins ON DELETE RESTRICT,
  -- Set when its codes were handed out: they are shown once.
  exported_at timestamptz,
  exported_by bigint      REFERENCES admins ON DELETE RESTRICT,
  created_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT discount_batches__progress CHECK (generated BETWEEN 0 AND wanted),
  CONSTRAINT discount_batches__exported CHECK ((exported_at IS NULL) = (exported_by IS NULL))
);
CREATE INDEX discount_batches__by_discount ON discount_batches (discount_id, id);
CREATE TRIGGER discount_batches__touch BEFORE UPDATE ON discount_batches
  FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- What can be typed, in capitals: one unique list of the rules' own codes and of those of batches.
CREATE TABLE discount_codes (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  code        text   NOT NULL CONSTRAINT discount_codes__code UNIQUE,
  discount_id bigint NOT NULL REFERENCES discounts ON DELETE CASCADE,
  -- Null for the rule's own code.
  batch_id    bigint REFERENCES discount_batches ON DELETE CASCADE
);
CREATE UNIQUE INDEX discount_codes__own ON discount_codes (discount_id) WHERE batch_id IS NULL;
CREATE INDEX discount_codes__by_discount ON discount_codes (discount_id);
CREATE INDEX discount_codes__by_batch ON discount_codes (batch_id, id);

CREATE FUNCTION keep_own_discount_code() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO discount_codes (code, discount_id) VALUES (upper(NEW.code), NEW.id)
  ON CONFLICT (discount_id) WHERE batch_id IS NULL DO UPDATE SET code = excluded.code;
  RETURN NULL;
END $$;
CREATE TRIGGER discounts__keep_code AFTER INSERT OR UPDATE OF code ON discounts
  FOR EACH ROW EXECUTE FUNCTION keep_own_discount_code();

-- An order's use of a discount: taken with the order, released once when it dies unpaid, settled when it is paid.
-- Taking it again is a new row. Foreign keys to the rule are checked at the commit: checked earlier they would put a
-- second kind of lock on the row everybody waits for.
CREATE TABLE discount_uses (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id       bigint      NOT NULL REFERENCES orders ON DELETE RESTRICT,
  discount_id    bigint      NOT NULL
                 CONSTRAINT discount_uses__discount REFERENCES discounts ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED,
  -- The single-use code, null when the rule's own code was used.
  code_id        bigint      REFERENCES discount_codes ON DELETE RESTRICT,
  -- As the order shows it.
  code           text        NOT NULL,
  user_id        bigint      NOT NULL REFERENCES users ON DELETE RESTRICT,
  subtotal_minor bigint      NOT NULL,
  discount_minor bigint      NOT NULL CHECK (discount_minor BETWEEN 0 AND subtotal_minor),
  is_first_order boolean     NOT NULL,
  -- False only when money came for a dead order whose use others had taken: honoured, and counted nowhere.
  is_counted     boolean     NOT NULL DEFAULT true,
  taken_at       timestamptz NOT NULL DEFAULT now(),
  settled_at     timestamptz,
  released_at    timestamptz,
  CONSTRAINT discount_uses__paid_is_final CHECK (settled_at IS NULL OR released_at IS NULL),
  CONSTRAINT discount_uses__uncounted_is_paid CHECK (is_counted OR settled_at IS NOT NULL)
);
CREATE UNIQUE INDEX discount_uses__one_live ON discount_uses (order_id) WHERE released_at IS NULL;
CREATE UNIQUE INDEX discount_uses__single ON discount_uses (code_id)
  WHERE code_id IS NOT NULL AND released_at IS NULL AND is_counted;
-- A customer has one first order, whatever the number of welcome codes.
CREATE UNIQUE INDEX discount_uses__first_order ON discount_uses (user_id)
  WHERE is_first_order AND released_at IS NULL AND is_counted;
CREATE INDEX discount_uses__by_order ON discount_uses (order_id, id DESC);
CREATE INDEX discount_uses__by_discount ON discount_uses (discount_id, order_id DESC, id DESC);

-- How many live uses a customer has: the guard of the limit per customer.
CREATE TABLE discount_customers (
  discount_id bigint  NOT NULL
              CONSTRAINT discount_customers__discount REFERENCES discounts ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  user_id     bigint  NOT NULL REFERENCES users ON DELETE CASCADE,
  uses        integer NOT NULL CHECK (uses >= 0),
  PRIMARY KEY (discount_id, user_id)
);

-- Why a code was refused, for statistics and support; kept 90 days. No foreign keys: a note must not lock the rule.
CREATE TABLE discount_refusals (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  discount_id bigint      NOT NULL,
  user_id     bigint,
  reason      text        NOT NULL,
  occurred_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX discount_refusals__by_discount ON discount_refusals (discount_id, occurred_at);
CREATE INDEX discount_refusals__by_time ON discount_refusals (occurred_at);
