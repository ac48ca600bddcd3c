-- Why: whom codes and credits are bought from, and every purchase with its outcome. Owner of every table here:
-- fulfillment. Locks: none (new tables). Undo: drop them in reverse order.

CREATE TABLE partners (
  id                      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name                    text        NOT NULL CONSTRAINT partners__name UNIQUE,
  -- One of fulfillment/partners/definitions.ts; a new kind is a folder and a line there, not a migration.
  kind                    text        NOT NULL,
  config                  jsonb       NOT NULL DEFAULT '{}',
  -- Sealed by platform/secret-box.ts; written, never shown.
  credentials_sealed      bytea,
  status                  text        NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'maintenance', 'disabled')),
  -- It is used again from then on; null: until somebody says so.
  maintenance_until       timestamptz,
  -- In the partner's own currency, as its balance.
  balance_threshold_minor bigint      CHECK (balance_threshold_minor >= 0),
  balance_minor           bigint,
  balance_currency        char(3),
  balance_checked_at      timestamptz,
  created_at              timestamptz NOT NULL DEFAULT now(),
  updated_at              timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT partners__maintenance CHECK (status = 'maintenance' OR maintenance_until IS NULL),
  CONSTRAINT partners__balance CHECK ((balance_minor IS NULL) = (balance_currency IS NULL))
);
CREATE TRIGGER partners__touch BEFORE UPDATE ON partners FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- Access tokens that partners hand out for hours: granted by one process, used by all.
CREATE TABLE partner_tokens (
  partner_id   bigint      NOT NULL REFERENCES partners ON DELETE CASCADE,
  audience     text        NOT NULL,
  token_sealed bytea       NOT NULL,
  expires_at   timestamptz NOT NULL,
  PRIMARY KEY (partner_id, audience)
);

-- Where a variant can be bought. Tried from the lowest priority number up.
CREATE TABLE partner_sources (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  variant_id      bigint      NOT NULL REFERENCES product_variants ON DELETE RESTRICT,
  partner_id      bigint      NOT NULL CONSTRAINT partner_sources__partner REFERENCES partners ON DELETE RESTRICT,
  -- What the partner calls it, and what else the partner must be told about it (unit price, amount …).
  partner_product text        NOT NULL,
  options         jsonb       NOT NULL DEFAULT '{}',
  cost_minor      bigint      CHECK (cost_minor >= 0),
  priority        integer     NOT NULL DEFAULT 100 CHECK (priority BETWEEN 0 AND 1000000),
  is_active       boolean     NOT NULL DEFAULT true,
  -- [{name, label, type, required}]: what the partner needs to be told of the recipient (decisions 6.5).
  required_fields jsonb       NOT NULL DEFAULT '[]',
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT partner_sources__once UNIQUE (variant_id, partner_id, partner_product)
);
CREATE INDEX partner_sources__by_variant ON partner_sources (variant_id, priority, id);
CREATE INDEX partner_sources__by_partner ON partner_sources (partner_id);
CREATE TRIGGER partner_sources__touch BEFORE UPDATE ON partner_sources
  FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- One purchase of one unit. The row is there, committed, before the partner hears of it.
CREATE TABLE partner_api_transactions (
  id                     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_item_id          bigint      NOT NULL REFERENCES order_items ON DELETE RESTRICT,
  -- Which of the item's units it is for, from 1.
  unit_no                integer     NOT NULL CHECK (unit_no BETWEEN 1 AND 100),
  -- Null for what was logged without a real partner; 0 on the wire is stored as null (interface part 2).
  partner_id             bigint      CHECK (partner_id > 0) REFERENCES partners ON DELETE RESTRICT,
  source_id              bigint      CONSTRAINT partner_api_transactions__source REFERENCES partner_sources ON DELETE RESTRICT,
  -- Ours: what the partner is asked for when its answer never came.
  reference              text        NOT NULL CONSTRAINT partner_api_transactions__reference UNIQUE,
  -- The same for all purchases of one effort: the automatic one, or one retry by an operator.
  correlation_id         uuid        NOT NULL,
  admin_id               bigint      REFERENCES admins ON DELETE RESTRICT,
  round                  integer     NOT NULL DEFAULT 1,
  -- The edges are in fulfillment/purchases/purchase-states.ts, and below in guard_partner_transaction().
  status                 text        NOT NULL DEFAULT 'INTENT'
                         CHECK (status IN ('INTENT', 'SENT', 'UNKNOWN', 'DISPUTED', 'OK', 'REJECTED', 'LATE')),
  -- What was asked and answered, as far as everybody may read it: never a code, a pin or a credential.
  request                jsonb       NOT NULL DEFAULT '{}',
  response               jsonb       NOT NULL DEFAULT '{}',
  failure_reason         text,
  -- A no that may be a yes a moment later (too busy, out of service).
  is_transient           boolean     NOT NULL DEFAULT false,
  retry_after_seconds    integer,
  partner_transaction_id text,
  voucher_id             bigint      REFERENCES vouchers ON DELETE RESTRICT,
  -- When the next step is due: the call itself, the end of a call's lease, the next question. Null: nothing is.
  next_step_at           timestamptz,
  query_step             integer     NOT NULL DEFAULT 0,
  first_sent_at          timestamptz,
  last_sent_at           timestamptz,
  answered_at            timestamptz,
  resolved_by            bigint      REFERENCES admins ON DELETE RESTRICT,
  resolution_notes       text,
  created_at             timestamptz NOT NULL DEFAULT now(),
  updated_at             timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT partner_api_transactions__sent CHECK (status NOT IN ('SENT', 'UNKNOWN', 'DISPUTED') OR first_sent_at IS NOT NULL)
);
-- The promise: a unit has at most one purchase that is under way, unclear or done. Two processes, two operators, an
-- operator and a job: the second insert fails.
CREATE UNIQUE INDEX partner_api_transactions__one_per_unit ON partner_api_transactions (order_item_id, unit_no)
  WHERE status IN ('INTENT', 'SENT', 'UNKNOWN', 'DISPUTED', 'OK') AND partner_id IS NOT NULL;
CREATE UNIQUE INDEX partner_api_transactions__one_per_voucher ON partner_api_transactions (voucher_id)
  WHERE voucher_id IS NOT NULL;
CREATE INDEX partner_api_transactions__by_item ON partner_api_transactions (order_item_id, id);
CREATE INDEX partner_api_transactions__due ON partner_api_transactions (next_step_at) WHERE next_step_at IS NOT NULL;
CREATE INDEX partner_api_transactions__by_partner ON partner_api_transactions (partner_id, id DESC);
CREATE INDEX partner_api_transactions__by_source ON partner_api_transactions (source_id);
CREATE TRIGGER partner_api_transactions__touch BEFORE UPDATE ON partner_api_transactions
  FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- The last line of defence for the edges in purchase-states.ts (a test compares the two).
CREATE FUNCTION guard_partner_transaction() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> NEW.status AND (OLD.status, NEW.status) NOT IN (
    ('INTENT', 'SENT'), ('INTENT', 'REJECTED'),
    ('SENT', 'OK'), ('SENT', 'REJECTED'), ('SENT', 'UNKNOWN'), ('SENT', 'DISPUTED'), ('SENT', 'LATE'),
    ('UNKNOWN', 'OK'), ('UNKNOWN', 'REJECTED'), ('UNKNOWN', 'DISPUTED'), ('UNKNOWN', 'LATE'), ('UNKNOWN', 'SENT'),
    ('DISPUTED', 'OK'), ('DISPUTED', 'REJECTED'), ('DISPUTED', 'LATE'),
    ('REJECTED', 'OK'), ('REJECTED', 'LATE')
  ) THEN
    RAISE EXCEPTION 'purchase % cannot go from % to %', OLD.id, OLD.status, NEW.status
      USING ERRCODE = 'check_violation', CONSTRAINT = 'partner_api_transactions__transition';
  END IF;
  IF (NEW.order_item_id, NEW.unit_no, NEW.reference, NEW.partner_id, NEW.source_id)
     IS DISTINCT FROM (OLD.order_item_id, OLD.unit_no, OLD.reference, OLD.partner_id, OLD.source_id)
     OR (OLD.voucher_id IS NOT NULL AND NEW.voucher_id IS DISTINCT FROM OLD.voucher_id) THEN
    RAISE EXCEPTION 'purchase %: what was bought does not change', OLD.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'partner_api_transactions__immutable';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER partner_api_transactions__guard BEFORE UPDATE ON partner_api_transactions
  FOR EACH ROW EXECUTE FUNCTION guard_partner_transaction();

-- Every exchange with a partner about a purchase, stored before anybody reads the answer. Append-only.
CREATE TABLE partner_api_calls (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  transaction_id  bigint      NOT NULL REFERENCES partner_api_transactions ON DELETE RESTRICT,
  method          text        NOT NULL,
  url             text        NOT NULL,
  -- Credentials are never in it: headers are left out, their values are masked everywhere.
  request_body    text,
  -- Null when no answer came; `error` says how it ended then.
  http_status     integer,
  -- The answer as it came, codes included, sealed.
  response_sealed bytea,
  error           text,
  took_ms         integer     NOT NULL,
  occurred_at     timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT partner_api_calls__answered CHECK ((http_status IS NULL) = (response_sealed IS NULL))
);
CREATE INDEX partner_api_calls__by_transaction ON partner_api_calls (transaction_id, id);
-- Only the seal may change, when keys are rotated.
CREATE TRIGGER partner_api_calls__append_only BEFORE UPDATE ON partner_api_calls
  FOR EACH ROW WHEN (to_jsonb(OLD) - 'response_sealed' IS DISTINCT FROM to_jsonb(NEW) - 'response_sealed')
  EXECUTE FUNCTION refuse_change();
CREATE TRIGGER partner_api_calls__kept BEFORE DELETE ON partner_api_calls
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
