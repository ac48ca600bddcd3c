-- Why: bKash grants two access tokens an hour to all our processes together, so they share one. Owner: payments.
-- Locks: none (new table). Undo: drop it; the next call is granted a new token.

CREATE TABLE gateway_tokens (
  key                  text        PRIMARY KEY,
  -- Sealed; null until the first grant has ended well.
  token                bytea,
  expires_at           timestamptz,
  -- A grant is under way until then: one at a time over all processes.
  granting_until       timestamptz,
  -- When the last two grants began: a third within the hour would lock us out.
  last_grant_at        timestamptz,
  grant_before_that_at timestamptz,
  CONSTRAINT gateway_tokens__expires CHECK ((token IS NULL) = (expires_at IS NULL))
);
