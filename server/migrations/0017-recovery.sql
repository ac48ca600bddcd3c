-- Why: operators complete paid orders by hand. Locks: none worth naming (new tables, columns without a rewrite).
-- Undo: drop the tables and the columns.

-- Owner: fulfillment. Which stored codes an attempt brought; the codes themselves are in the vault only.
ALTER TABLE fulfillment_attempts ADD COLUMN voucher_ids bigint[] NOT NULL DEFAULT '{}';

-- Owner: recovery. One operator at a time on one order: whoever holds the row works, the other one gets a 409. A
-- claim whose holder died ends by itself.
CREATE TABLE recovery_claims (
  order_id      bigint      PRIMARY KEY REFERENCES orders ON DELETE CASCADE,
  token         uuid        NOT NULL,
  admin_id      bigint      NOT NULL REFERENCES admins ON DELETE RESTRICT,
  claimed_until timestamptz NOT NULL
);

-- Owner: recovery. Who takes care of an order that needs attention.
CREATE TABLE order_assignments (
  order_id    bigint      PRIMARY KEY REFERENCES orders ON DELETE CASCADE,
  admin_id    bigint      NOT NULL REFERENCES admins ON DELETE RESTRICT,
  assigned_by bigint      NOT NULL REFERENCES admins ON DELETE RESTRICT,
  assigned_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX order_assignments__by_admin ON order_assignments (admin_id);

-- Owner: recovery. What operators wrote down about an order. Append-only.
CREATE TABLE order_notes (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id   bigint      NOT NULL REFERENCES orders ON DELETE RESTRICT,
  admin_id   bigint      NOT NULL REFERENCES admins ON DELETE RESTRICT,
  text       text        NOT NULL CHECK (length(text) BETWEEN 1 AND 4000),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX order_notes__by_order ON order_notes (order_id, id);
CREATE TRIGGER order_notes__append_only BEFORE UPDATE OR DELETE ON order_notes
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Owner: alerts. Somebody has seen it; it stays open until it is resolved.
ALTER TABLE admin_alerts
  ADD COLUMN acknowledged_at timestamptz,
  ADD COLUMN acknowledged_by bigint REFERENCES admins ON DELETE RESTRICT,
  ADD CONSTRAINT admin_alerts__acknowledged CHECK ((acknowledged_at IS NULL) = (acknowledged_by IS NULL));
CREATE INDEX admin_alerts__newest ON admin_alerts (status, id DESC);
