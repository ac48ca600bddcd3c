-- Why: what was tried to deliver. Owner of every table here: fulfillment. Locks: none (new tables). Undo: drop them.

-- Append-mostly: a row is written when an attempt ends, so that it never claims what did not happen.
CREATE TABLE fulfillment_attempts (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  order_id       bigint      NOT NULL REFERENCES orders ON DELETE RESTRICT,
  order_item_id  bigint      REFERENCES order_items ON DELETE RESTRICT,
  type           text        NOT NULL CHECK (type IN ('AUTO', 'MANUAL_CODE_INPUT', 'PARTNER_RETRY', 'RESEND_EMAIL')),
  status         text        NOT NULL CHECK (status IN ('DISPATCHED', 'DISPATCH_FAILED', 'PARTNER_FAILED', 'FAILED', 'SUCCESS')),
  correlation_id uuid        NOT NULL,
  error_message  text,
  notes          text,
  admin_id       bigint      REFERENCES admins ON DELETE RESTRICT,
  created_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX fulfillment_attempts__by_order ON fulfillment_attempts (order_id, id);
CREATE INDEX fulfillment_attempts__by_item ON fulfillment_attempts (order_item_id);
