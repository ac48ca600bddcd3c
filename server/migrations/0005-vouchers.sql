-- Why: the vault. Owner of every table here: vouchers. Locks: none (new tables). Undo: drop them.

CREATE TABLE voucher_batches (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  variant_id   bigint      NOT NULL REFERENCES product_variants ON DELETE RESTRICT,
  supplier     text,
  cost_minor   bigint      CHECK (cost_minor >= 0),
  currency     char(3)     NOT NULL DEFAULT 'BDT',
  source_name  text,
  created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX voucher_batches__by_variant ON voucher_batches (variant_id);

CREATE TABLE vouchers (
  id                   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  variant_id           bigint      NOT NULL REFERENCES product_variants ON DELETE RESTRICT,
  -- Copied from the product: one code is unique within one brand.
  brand_id             bigint      NOT NULL REFERENCES brands ON DELETE RESTRICT,
  order_item_id        bigint      REFERENCES order_items ON DELETE RESTRICT,
  -- Which of the item's units it is, from 1.
  unit_no              integer     CHECK (unit_no BETWEEN 1 AND 100),
  -- 0 on the wire means none and is stored as null (interface part 2).
  partner_id           bigint      CHECK (partner_id > 0),
  source_type          text        NOT NULL CHECK (source_type IN ('PRELOADED', 'PARTNER', 'MANUAL')),
  status               text        NOT NULL DEFAULT 'available'
                       CHECK (status IN ('available', 'reserved', 'assigned', 'voided')),
  -- Sealed by platform/secret-box.ts; the digest is keyed too.
  code_sealed          bytea       NOT NULL,
  code_digest          bytea       NOT NULL,
  pin_sealed           bytea,
  redemption_url_sealed bytea,
  serial_number_sealed bytea,
  cost_minor           bigint      CHECK (cost_minor >= 0),
  currency             char(3)     NOT NULL DEFAULT 'BDT',
  expires_at           timestamptz,
  metadata             jsonb       NOT NULL DEFAULT '{}',
  batch_id             bigint      REFERENCES voucher_batches ON DELETE RESTRICT,
  reserved_until       timestamptz,
  assigned_at          timestamptz,
  created_at           timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT vouchers__code_once UNIQUE (brand_id, code_digest),
  CONSTRAINT vouchers__held_for_item CHECK ((status IN ('reserved', 'assigned')) = (order_item_id IS NOT NULL)),
  CONSTRAINT vouchers__unit_of_item CHECK ((order_item_id IS NULL) = (unit_no IS NULL)),
  CONSTRAINT vouchers__reserved_until CHECK ((status = 'reserved') = (reserved_until IS NOT NULL)),
  CONSTRAINT vouchers__assigned_at CHECK ((status = 'assigned') = (assigned_at IS NOT NULL))
);
CREATE UNIQUE INDEX vouchers__one_per_unit ON vouchers (order_item_id, unit_no) WHERE order_item_id IS NOT NULL;
-- First to expire goes first. Only sellable rows: it stays as small as the stock.
CREATE INDEX vouchers__sellable ON vouchers (variant_id, expires_at, id) WHERE status = 'available';
CREATE INDEX vouchers__by_digest ON vouchers (code_digest);
CREATE INDEX vouchers__by_batch ON vouchers (batch_id);

-- A code that was given to an item stays with it for ever, whatever the program believes.
CREATE FUNCTION guard_voucher() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status = 'assigned'
     AND (NEW.order_item_id, NEW.unit_no, NEW.status) IS DISTINCT FROM (OLD.order_item_id, OLD.unit_no, OLD.status) THEN
    RAISE EXCEPTION 'voucher % was delivered and cannot be moved', OLD.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'vouchers__assigned_is_final';
  END IF;
  IF (NEW.code_digest, NEW.variant_id, NEW.brand_id) IS DISTINCT FROM (OLD.code_digest, OLD.variant_id, OLD.brand_id) THEN
    RAISE EXCEPTION 'voucher %: the code is what it is', OLD.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'vouchers__immutable';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER vouchers__guard BEFORE UPDATE ON vouchers FOR EACH ROW EXECUTE FUNCTION guard_voucher();
CREATE FUNCTION keep_delivered_voucher() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'voucher % was delivered and cannot be deleted', OLD.id
    USING ERRCODE = 'check_violation', CONSTRAINT = 'vouchers__assigned_is_kept';
END $$;
CREATE TRIGGER vouchers__keep_delivered BEFORE DELETE ON vouchers
  FOR EACH ROW WHEN (OLD.status = 'assigned') EXECUTE FUNCTION keep_delivered_voucher();
