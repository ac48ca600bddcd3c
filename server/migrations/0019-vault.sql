-- Why: the vault under operators' hands: batches that are checked before they are sold and can be called back, a ledger
-- of every movement, thresholds. Owner of every table here: vouchers.
-- Locks: vouchers and voucher_batches for the moment of adding nullable columns and triggers; one count of all codes.
-- Undo: drop the tables, triggers and columns.

ALTER TABLE voucher_batches
  -- loading: rows are being read. validating: read, waits for its commit. committed: its codes are sold. recalled:
  -- called back, nothing of it is sold any more. Batches that came before this migration are sold.
  ADD COLUMN status text NOT NULL DEFAULT 'committed' CHECK (status IN ('loading', 'validating', 'committed', 'recalled')),
  ADD COLUMN invoice text,
  ADD COLUMN uploaded_by bigint REFERENCES admins ON DELETE RESTRICT,
  ADD COLUMN rows_read integer NOT NULL DEFAULT 0,
  ADD COLUMN rows_invalid integer NOT NULL DEFAULT 0,
  ADD COLUMN rows_repeated integer NOT NULL DEFAULT 0,
  ADD COLUMN committed_at timestamptz,
  ADD COLUMN recalled_at timestamptz,
  ADD COLUMN recall_reason text,
  ADD CONSTRAINT voucher_batches__recalled CHECK ((status = 'recalled') = (recalled_at IS NOT NULL));

-- What became of each row of an uploaded file. Codes are here, sealed, only until they are stored or refused.
CREATE TABLE voucher_batch_rows (
  batch_id              bigint  NOT NULL REFERENCES voucher_batches ON DELETE CASCADE,
  -- Where it stands in its file, from 1.
  line                  integer NOT NULL,
  outcome               text    NOT NULL CHECK (outcome IN ('valid', 'imported', 'duplicate_in_file', 'already_stored', 'invalid')),
  problem               text,
  code_sealed           bytea,
  code_digest           bytea,
  pin_sealed            bytea,
  redemption_url_sealed bytea,
  serial_number_sealed  bytea,
  expires_at            timestamptz,
  PRIMARY KEY (batch_id, line),
  CONSTRAINT voucher_batch_rows__secret_while_valid CHECK ((outcome = 'valid') = (code_sealed IS NOT NULL)),
  CONSTRAINT voucher_batch_rows__why_invalid CHECK ((outcome = 'invalid') = (problem IS NOT NULL))
);
CREATE INDEX voucher_batch_rows__to_store ON voucher_batch_rows (batch_id, code_digest) WHERE outcome = 'valid';
CREATE INDEX voucher_batch_rows__not_stored ON voucher_batch_rows (batch_id, line) WHERE outcome <> 'imported';

ALTER TABLE vouchers
  ADD COLUMN voided_at   timestamptz,
  ADD COLUMN void_reason text,
  ADD COLUMN note        text;

-- A code that was given to an item stays with it for ever, and one that was taken out of the sale does not come back,
-- whatever the program believes. A unit of a recalled batch that an order gives back is not sold again.
CREATE OR REPLACE FUNCTION guard_voucher() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status = 'assigned'
     AND (NEW.order_item_id, NEW.unit_no, NEW.status) IS DISTINCT FROM (OLD.order_item_id, OLD.unit_no, OLD.status) THEN
    RAISE EXCEPTION 'voucher % was delivered and cannot be moved', OLD.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'vouchers__assigned_is_final';
  END IF;
  IF OLD.status = 'voided' AND NEW.status <> 'voided' THEN
    RAISE EXCEPTION 'voucher % was voided and cannot be sold', OLD.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'vouchers__voided_is_final';
  END IF;
  IF (NEW.code_digest, NEW.variant_id, NEW.brand_id) IS DISTINCT FROM (OLD.code_digest, OLD.variant_id, OLD.brand_id) THEN
    RAISE EXCEPTION 'voucher %: the code is what it is', OLD.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'vouchers__immutable';
  END IF;
  IF OLD.status = 'reserved' AND NEW.status = 'available' AND NEW.batch_id IS NOT NULL
     AND EXISTS (SELECT 1 FROM voucher_batches WHERE id = NEW.batch_id AND status = 'recalled') THEN
    NEW.status := 'voided';
    NEW.void_reason := 'batch recalled';
  END IF;
  IF NEW.status = 'voided' AND NEW.voided_at IS NULL THEN NEW.voided_at := now(); END IF;
  RETURN NEW;
END $$;

-- Every movement of units between states, written by the database itself with the statement that moves them, one row
-- for each statement, variant, change and item: for every state, what came minus what went is what lies there.
-- Append-only. No foreign keys: buyers wait for these rows, and an entry outlives what it is about.
CREATE TABLE stock_movements (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  variant_id    bigint      NOT NULL,
  -- Null from: the units came into the vault. Null to: they were deleted.
  from_status   text,
  to_status     text,
  units         integer     NOT NULL CHECK (units > 0),
  batch_id      bigint,
  order_item_id bigint,
  occurred_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT stock_movements__moves CHECK (from_status IS DISTINCT FROM to_status)
);
CREATE INDEX stock_movements__by_variant ON stock_movements (variant_id, id);
CREATE TRIGGER stock_movements__append_only BEFORE UPDATE OR DELETE ON stock_movements
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

INSERT INTO stock_movements (variant_id, to_status, units, batch_id)
SELECT variant_id, status, count(*), batch_id FROM vouchers GROUP BY variant_id, status, batch_id;

CREATE FUNCTION record_vouchers_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stock_movements (variant_id, to_status, units, batch_id, order_item_id)
  SELECT variant_id, status, count(*), batch_id, order_item_id FROM added
  GROUP BY variant_id, status, batch_id, order_item_id;
  RETURN NULL;
END $$;
CREATE TRIGGER vouchers__record_added AFTER INSERT ON vouchers
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION record_vouchers_added();

CREATE FUNCTION record_vouchers_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stock_movements (variant_id, from_status, to_status, units, order_item_id)
  SELECT later.variant_id, earlier.status, later.status, count(*), COALESCE(later.order_item_id, earlier.order_item_id)
  FROM earlier JOIN later USING (id)
  WHERE earlier.status <> later.status
  GROUP BY 1, 2, 3, 5;
  RETURN NULL;
END $$;
CREATE TRIGGER vouchers__record_moved AFTER UPDATE ON vouchers
  REFERENCING OLD TABLE AS earlier NEW TABLE AS later FOR EACH STATEMENT EXECUTE FUNCTION record_vouchers_moved();

CREATE FUNCTION record_vouchers_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stock_movements (variant_id, from_status, units, batch_id)
  SELECT variant_id, status, count(*), batch_id FROM removed GROUP BY variant_id, status, batch_id;
  RETURN NULL;
END $$;
CREATE TRIGGER vouchers__record_removed AFTER DELETE ON vouchers
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION record_vouchers_removed();

-- When operators want to be told that a variant runs low.
CREATE TABLE stock_thresholds (
  variant_id     bigint PRIMARY KEY REFERENCES product_variants ON DELETE CASCADE,
  low_units      integer CHECK (low_units > 0),
  -- Days that the stock lasts at the pace of the last two weeks.
  low_cover_days integer CHECK (low_cover_days > 0),
  updated_at     timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT stock_thresholds__some CHECK (low_units IS NOT NULL OR low_cover_days IS NOT NULL)
);
CREATE TRIGGER stock_thresholds__touch BEFORE UPDATE ON stock_thresholds
  FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
