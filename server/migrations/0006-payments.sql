-- Why: money. Owner of every table here: payments. Locks: none (new tables). Undo: drop them.

CREATE TABLE payments (
  id                    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id              bigint      NOT NULL REFERENCES orders ON DELETE RESTRICT,
  transaction_id        text        NOT NULL CONSTRAINT payments__transaction_id UNIQUE,
  -- Ours, in the form every gateway accepts; what gateways see as order or invoice number (decisions 4.12).
  gateway_reference     text        NOT NULL CONSTRAINT payments__gateway_reference UNIQUE,
  method                text        NOT NULL,
  gateway               text        NOT NULL,
  status                text        NOT NULL DEFAULT 'PENDING'
                        CHECK (status IN ('PENDING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
  amount_minor          bigint      NOT NULL CHECK (amount_minor >= 0),
  currency              char(3)     NOT NULL,
  description           text,
  payment_gateway_url   text,
  -- What the gateway calls the session (sessionkey, paymentID, …): needed to ask about it.
  gateway_session       jsonb       NOT NULL DEFAULT '{}',
  -- The one of these by which its callbacks name the session, for gateways that do not echo our reference.
  gateway_session_id    text,
  -- The gateway's own id of the money movement: one capture settles one payment only.
  gateway_transaction_id text,
  failure_reason        text,
  -- The one payment that pays the order; further successes are duplicates.
  drives_order          boolean     NOT NULL DEFAULT false,
  verified_amount_minor bigint,
  verified_currency     char(3),
  verified_at           timestamptz,
  -- When the sweep asks the gateway again; null when nothing more is to be learned.
  next_verify_at        timestamptz,
  verify_step           integer     NOT NULL DEFAULT 0,
  -- A verification is under way until then: one at a time, and at most one every two seconds.
  verifying_until       timestamptz,
  created_at            timestamptz NOT NULL DEFAULT now(),
  updated_at            timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT payments__verified CHECK (status <> 'SUCCEEDED' OR
    (verified_at IS NOT NULL AND verified_amount_minor >= amount_minor AND verified_currency = currency)),
  CONSTRAINT payments__driver_succeeded CHECK (NOT drives_order OR status = 'SUCCEEDED')
);
CREATE INDEX payments__by_order ON payments (order_id, id);
CREATE UNIQUE INDEX payments__by_session ON payments (gateway, gateway_session_id) WHERE gateway_session_id IS NOT NULL;
CREATE INDEX payments__due ON payments (next_verify_at) WHERE next_verify_at IS NOT NULL;
CREATE UNIQUE INDEX payments__one_driver ON payments (order_id) WHERE drives_order;
CREATE UNIQUE INDEX payments__one_capture ON payments (gateway, gateway_transaction_id)
  WHERE gateway_transaction_id IS NOT NULL AND status = 'SUCCEEDED';
CREATE TRIGGER payments__touch BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- The last line of defence for the edges in payments/payment-states.ts (a test compares the two).
CREATE FUNCTION guard_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
    ('PENDING', 'SUCCEEDED'), ('PENDING', 'FAILED'), ('PENDING', 'CANCELLED'),
    ('FAILED', 'SUCCEEDED'), ('CANCELLED', 'SUCCEEDED'), ('CANCELLED', 'FAILED')
  ) THEN
    RAISE EXCEPTION 'payment % cannot go from % to %', OLD.id, OLD.status, NEW.status
      USING ERRCODE = 'check_violation', CONSTRAINT = 'payments__transition';
  END IF;
  IF (NEW.order_id, NEW.transaction_id, NEW.gateway_reference, NEW.amount_minor, NEW.currency, NEW.gateway)
     IS DISTINCT FROM (OLD.order_id, OLD.transaction_id, OLD.gateway_reference, OLD.amount_minor, OLD.currency, OLD.gateway)
     OR (OLD.drives_order AND NOT NEW.drives_order) THEN
    RAISE EXCEPTION 'payment %: what was agreed does not change', OLD.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'payments__immutable';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER payments__guard BEFORE UPDATE ON payments FOR EACH ROW EXECUTE FUNCTION guard_payment();

-- Every callback as it came (secrets redacted), stored before it is acted on.
CREATE TABLE payment_callbacks (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  gateway        text        NOT NULL,
  content_digest bytea       NOT NULL,
  payload        jsonb       NOT NULL,
  payment_id     bigint      REFERENCES payments ON DELETE RESTRICT,
  -- unreadable | unknown_payment | bad_signature | accepted; accepted means: it named a payment and was verified.
  verdict        text        NOT NULL CHECK (verdict IN ('unreadable', 'unknown_payment', 'bad_signature', 'accepted')),
  claims         text,
  seen_count     integer     NOT NULL DEFAULT 1,
  source_ip      text,
  received_at    timestamptz NOT NULL DEFAULT now(),
  last_seen_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT payment_callbacks__once UNIQUE (gateway, content_digest)
);
CREATE INDEX payment_callbacks__by_payment ON payment_callbacks (payment_id);

-- Every answer a gateway gave about a payment. Append-only.
CREATE TABLE payment_verifications (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payment_id  bigint      NOT NULL REFERENCES payments ON DELETE RESTRICT,
  asked_by    text        NOT NULL,
  outcome     text        NOT NULL,
  details     jsonb       NOT NULL DEFAULT '{}',
  took_ms     integer     NOT NULL,
  occurred_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX payment_verifications__by_payment ON payment_verifications (payment_id, id);
CREATE TRIGGER payment_verifications__append_only BEFORE UPDATE OR DELETE ON payment_verifications
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
