-- Why: money going back. Owner: payments (refunds). Locks: payments, for adding a column with a constant default: an
-- instant. Undo: drop the table, the functions and payments.refunded_minor.

ALTER TABLE payments ADD COLUMN refunded_minor bigint NOT NULL DEFAULT 0;
ALTER TABLE payments ADD CONSTRAINT payments__refunded
  CHECK (refunded_minor >= 0 AND refunded_minor <= COALESCE(verified_amount_minor, 0));

CREATE TABLE refunds (
  id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payment_id        bigint      NOT NULL REFERENCES payments ON DELETE RESTRICT,
  -- Ours, in the form every gateway accepts; a gateway that takes one honours it once.
  reference         text        NOT NULL CONSTRAINT refunds__reference UNIQUE,
  amount_minor      bigint      NOT NULL CHECK (amount_minor > 0),
  currency          char(3)     NOT NULL,
  reason            text        NOT NULL,
  status            text        NOT NULL DEFAULT 'requested' CHECK (status IN
                    ('requested', 'approved', 'sending', 'succeeded', 'failed', 'unknown', 'rejected', 'manual')),
  gateway_refund_id text,
  -- Why it is not succeeded (yet): the gateway's words, or ours.
  failure_reason    text,
  notes             text,
  requested_by      bigint      NOT NULL REFERENCES admins ON DELETE RESTRICT,
  -- Who approved or rejected it.
  decided_by        bigint      REFERENCES admins ON DELETE RESTRICT,
  decided_at        timestamptz,
  sent_at           timestamptz,
  settled_at        timestamptz,
  -- When the sweep sends it or asks about it; null when nothing more is to be learned by asking.
  next_action_at    timestamptz,
  step              integer     NOT NULL DEFAULT 0,
  -- A call about it is under way until then. Nobody asks what became of a refund that is just being sent.
  calling_until     timestamptz,
  created_at        timestamptz NOT NULL DEFAULT now(),
  updated_at        timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT refunds__decided CHECK (status = 'requested' OR (decided_by IS NOT NULL AND decided_at IS NOT NULL)),
  CONSTRAINT refunds__settled CHECK ((status IN ('succeeded', 'failed', 'rejected', 'manual')) = (settled_at IS NOT NULL))
);
CREATE INDEX refunds__by_payment ON refunds (payment_id, id);
CREATE INDEX refunds__due ON refunds (next_action_at) WHERE next_action_at IS NOT NULL;
-- Some gateways know no reference of ours: with one refund of a payment under way at a time it can still be found.
CREATE UNIQUE INDEX refunds__one_under_way ON refunds (payment_id) WHERE status IN ('sending', 'unknown');
CREATE UNIQUE INDEX refunds__one_movement ON refunds (payment_id, gateway_refund_id) WHERE gateway_refund_id IS NOT NULL;
CREATE TRIGGER refunds__touch BEFORE UPDATE ON refunds FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- The last line of defence for the edges in payments/refunds/refund-states.ts (a test compares the two).
CREATE FUNCTION guard_refund() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
    ('requested', 'approved'), ('requested', 'manual'), ('requested', 'rejected'), ('approved', 'sending'),
    ('sending', 'succeeded'), ('sending', 'failed'), ('sending', 'unknown'), ('sending', 'approved'),
    ('unknown', 'succeeded'), ('unknown', 'failed'), ('unknown', 'sending')
  ) THEN
    RAISE EXCEPTION 'refund % cannot go from % to %', OLD.id, OLD.status, NEW.status
      USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds__transition';
  END IF;
  IF (NEW.payment_id, NEW.reference, NEW.amount_minor, NEW.currency, NEW.requested_by)
     IS DISTINCT FROM (OLD.payment_id, OLD.reference, OLD.amount_minor, OLD.currency, OLD.requested_by) THEN
    RAISE EXCEPTION 'refund %: what was requested does not change', OLD.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds__immutable';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refunds__guard BEFORE UPDATE ON refunds FOR EACH ROW EXECUTE FUNCTION guard_refund();

-- More than was verified never goes back, however many refunds are requested at once: each takes the payment's lock.
CREATE FUNCTION guard_refund_sum() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  verified bigint;
BEGIN
  SELECT CASE WHEN status = 'SUCCEEDED' THEN verified_amount_minor ELSE 0 END INTO verified
  FROM payments WHERE id = NEW.payment_id FOR NO KEY UPDATE;
  IF (SELECT sum(amount_minor) FROM refunds
      WHERE payment_id = NEW.payment_id AND status NOT IN ('failed', 'rejected')) > verified THEN
    RAISE EXCEPTION 'refunds of payment % would exceed what was paid', NEW.payment_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'refunds__within_payment';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refunds__within_payment AFTER INSERT ON refunds FOR EACH ROW EXECUTE FUNCTION guard_refund_sum();
