-- Why: some gateways take the money only when told to. Of all sessions of an order at most one may be told, and none
-- whose order its customer or an operator has cancelled. Owner of the table here: payments.
-- Locks: payments, for adding a nullable column: an instant. Undo: drop the table and the column.

-- When the session's order was cancelled by somebody: money that still waits for our word is left to lapse then.
ALTER TABLE payments ADD COLUMN given_up_at timestamptz;

-- The session that was told, or is being told, to take an order's money. No row: none was, or the gateway said no.
CREATE TABLE payment_captures (
  order_id      bigint      PRIMARY KEY REFERENCES orders ON DELETE RESTRICT,
  payment_id    bigint      NOT NULL CONSTRAINT payment_captures__payment UNIQUE REFERENCES payments ON DELETE RESTRICT,
  claimed_at    timestamptz NOT NULL DEFAULT now(),
  -- Infinity once the gateway said that it took the money. Else another session may have it after this moment, as
  -- payments/captures/capture-store.ts says.
  claimed_until timestamptz NOT NULL
);
