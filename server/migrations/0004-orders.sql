-- Why: what a customer asked for. Owner of every table here: orders. Locks: none (new tables). Undo: drop them.

CREATE TABLE orders (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_number     text        NOT NULL CONSTRAINT orders__order_number UNIQUE,
  user_id          bigint      NOT NULL REFERENCES users ON DELETE RESTRICT,
  status           text        NOT NULL DEFAULT 'INITIATED'
                   CHECK (status IN ('INITIATED', 'PENDING', 'FAILED', 'CANCELLED', 'SUCCEEDED', 'NEEDS_ATTENTION')),
  currency         char(3)     NOT NULL DEFAULT 'BDT',
  subtotal_minor   bigint      NOT NULL CHECK (subtotal_minor BETWEEN 0 AND 1000000000000),
  discount_minor   bigint      NOT NULL DEFAULT 0,
  total_minor      bigint      NOT NULL,
  discount_code    text,
  payment_method   text,
  -- As asked for, and where the codes go: that, else the first item's, else the account's (decisions 4.17).
  recipient_email  text,
  delivery_email   text,
  -- When the money was verified. Set once: a paid order stays paid.
  paid_at          timestamptz,
  -- Units and discount use are held for an unpaid order until then; null once they went back or were used.
  held_until       timestamptz,
  dispatched_email text,
  email_sent_at    timestamptz,
  created_at       timestamptz NOT NULL DEFAULT now(),
  updated_at       timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT orders__discount_within_subtotal CHECK (discount_minor BETWEEN 0 AND subtotal_minor),
  CONSTRAINT orders__total CHECK (total_minor = subtotal_minor - discount_minor),
  CONSTRAINT orders__email_both CHECK ((dispatched_email IS NULL) = (email_sent_at IS NULL)),
  CONSTRAINT orders__delivered_is_paid CHECK (status NOT IN ('SUCCEEDED', 'NEEDS_ATTENTION') OR paid_at IS NOT NULL)
);
CREATE INDEX orders__by_user ON orders (user_id, id DESC);
CREATE INDEX orders__by_hold ON orders (held_until) WHERE held_until IS NOT NULL;
CREATE INDEX orders__needing_attention ON orders (updated_at) WHERE status = 'NEEDS_ATTENTION';
CREATE TRIGGER orders__touch BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE order_items (
  id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id           bigint      NOT NULL REFERENCES orders ON DELETE RESTRICT,
  position           integer     NOT NULL,
  variant_id         bigint      NOT NULL REFERENCES product_variants ON DELETE RESTRICT,
  quantity           integer     NOT NULL CHECK (quantity BETWEEN 1 AND 100),
  unit_price_minor   bigint      NOT NULL CHECK (unit_price_minor >= 0),
  -- As sold: later changes of the catalogue do not change an order.
  product_name       text        NOT NULL,
  variant_name       text        NOT NULL,
  engine             text        NOT NULL CHECK (engine IN ('PRELOADED', 'PARTNER')),
  mode               text        NOT NULL CHECK (mode IN ('CODE', 'TOPUP')),
  fulfillment_input  jsonb       NOT NULL DEFAULT '{}',
  fulfilled          boolean     NOT NULL DEFAULT false,
  fulfilled_at       timestamptz,
  fulfillment_status text        NOT NULL DEFAULT 'PENDING'
                     CHECK (fulfillment_status IN ('PENDING', 'PROCESSING', 'SUCCEEDED', 'DISPATCH_FAILED', 'FAILED')),
  CONSTRAINT order_items__position UNIQUE (order_id, position),
  CONSTRAINT order_items__fulfilled_at CHECK (fulfilled = (fulfilled_at IS NOT NULL)),
  CONSTRAINT order_items__fulfilled_status CHECK (fulfilled = (fulfillment_status = 'SUCCEEDED'))
);
CREATE INDEX order_items__by_variant ON order_items (variant_id);

-- Every change of an order's status, written by the database itself so that none is missed. Append-only.
CREATE TABLE order_status_changes (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id    bigint      NOT NULL REFERENCES orders ON DELETE RESTRICT,
  from_status text,
  to_status   text        NOT NULL,
  occurred_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX order_status_changes__by_order ON order_status_changes (order_id, id);
CREATE TRIGGER order_status_changes__append_only BEFORE UPDATE OR DELETE ON order_status_changes
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE FUNCTION record_order_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO order_status_changes (order_id, from_status, to_status)
  VALUES (NEW.id, CASE WHEN TG_OP = 'UPDATE' THEN OLD.status END, NEW.status);
  RETURN NULL;
END $$;
CREATE TRIGGER orders__record_created AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION record_order_status();
CREATE TRIGGER orders__record_status AFTER UPDATE OF status ON orders
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION record_order_status();

-- The last line of defence for the edges in orders/order-states.ts (a test compares the two).
CREATE FUNCTION guard_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (OLD.status, NEW.status) NOT IN (
    ('INITIATED', 'PENDING'), ('INITIATED', 'FAILED'), ('INITIATED', 'CANCELLED'), ('INITIATED', 'NEEDS_ATTENTION'),
    ('PENDING', 'FAILED'), ('PENDING', 'CANCELLED'), ('PENDING', 'SUCCEEDED'), ('PENDING', 'NEEDS_ATTENTION'),
    ('FAILED', 'PENDING'), ('FAILED', 'CANCELLED'), ('CANCELLED', 'PENDING'), ('CANCELLED', 'FAILED'),
    ('NEEDS_ATTENTION', 'SUCCEEDED'), ('NEEDS_ATTENTION', 'PENDING'), ('SUCCEEDED', 'NEEDS_ATTENTION')
  ) THEN
    RAISE EXCEPTION 'order % cannot go from % to %', OLD.id, OLD.status, NEW.status
      USING ERRCODE = 'check_violation', CONSTRAINT = 'orders__transition';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER orders__guard BEFORE UPDATE OF status ON orders
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION guard_order();

CREATE FUNCTION guard_paid_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (OLD.paid_at IS NOT NULL AND NEW.paid_at IS DISTINCT FROM OLD.paid_at)
     OR (NEW.user_id, NEW.order_number, NEW.currency) IS DISTINCT FROM (OLD.user_id, OLD.order_number, OLD.currency)
     OR (OLD.paid_at IS NOT NULL AND NEW.status IN ('INITIATED', 'FAILED', 'CANCELLED')) THEN
    RAISE EXCEPTION 'order %: what was agreed or paid does not change', OLD.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'orders__immutable';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER orders__guard_paid BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION guard_paid_order();
