-- Why: what operators, other systems and customers are told. Locks: none (new tables). Undo: drop them.

-- Owner: alerts.
CREATE TABLE admin_alerts (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type             text        NOT NULL,
  severity         text        NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
  status           text        NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved')),
  order_id         bigint      REFERENCES orders ON DELETE RESTRICT,
  -- One open alert for each cause: the order, the payment, the variant …
  cause            text        NOT NULL,
  message          text        NOT NULL,
  details          jsonb       NOT NULL DEFAULT '{}',
  resolution_notes text,
  resolved_by      bigint      REFERENCES admins ON DELETE RESTRICT,
  created_at       timestamptz NOT NULL DEFAULT now(),
  resolved_at      timestamptz,
  CONSTRAINT admin_alerts__resolved_at CHECK ((status = 'resolved') = (resolved_at IS NOT NULL))
);
CREATE UNIQUE INDEX admin_alerts__one_open ON admin_alerts (type, cause) WHERE status = 'open';
CREATE INDEX admin_alerts__by_order ON admin_alerts (order_id);

-- Owner: events. Facts in the order they became true, written by the transaction that made them true.
CREATE TABLE outbox_events (
  id          uuid        PRIMARY KEY,
  position    bigint      GENERATED ALWAYS AS IDENTITY CONSTRAINT outbox_events__position UNIQUE,
  type        text        NOT NULL,
  -- What must stay in order: `order:17`, `campaign:3`.
  stream      text        NOT NULL,
  data        jsonb       NOT NULL,
  occurred_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX outbox_events__by_stream ON outbox_events (stream, position);

-- Owner: mail. One row for each message; its text is made when it is sent, so no code is ever stored here.
CREATE TABLE mail_messages (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind           text        NOT NULL,
  order_id       bigint      REFERENCES orders ON DELETE RESTRICT,
  recipient      text        NOT NULL,
  -- Deterministic: a repeat after an unknown result carries the same one.
  message_id     text        NOT NULL CONSTRAINT mail_messages__message_id UNIQUE,
  content_digest bytea       NOT NULL,
  state          text        NOT NULL DEFAULT 'QUEUED' CHECK (state IN ('QUEUED', 'SENDING', 'SENT', 'UNKNOWN', 'REJECTED')),
  attempts       integer     NOT NULL DEFAULT 0,
  claim_token    uuid,
  claimed_until  timestamptz,
  -- Set just before the text goes out: a sender that died without it certainly sent nothing.
  transmitting   boolean     NOT NULL DEFAULT false,
  not_before     timestamptz NOT NULL DEFAULT now(),
  smtp_reply     text,
  accepted_at    timestamptz,
  created_at     timestamptz NOT NULL DEFAULT now(),
  updated_at     timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT mail_messages__accepted_at CHECK ((state = 'SENT') = (accepted_at IS NOT NULL)),
  CONSTRAINT mail_messages__claimed CHECK ((state = 'SENDING') = (claim_token IS NOT NULL))
);
CREATE UNIQUE INDEX mail_messages__one_consolidated ON mail_messages (order_id) WHERE kind = 'order_codes';
CREATE INDEX mail_messages__by_order ON mail_messages (order_id);
CREATE TRIGGER mail_messages__touch BEFORE UPDATE ON mail_messages FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
