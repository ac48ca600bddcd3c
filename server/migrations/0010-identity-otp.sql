-- Why: one-time passwords by SMS. Owner of every table here: identity. Locks: none (new tables). Undo: drop them.

CREATE TABLE otps (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  purpose          text        NOT NULL CHECK (purpose IN ('register', 'reset_password', 'change_msisdn', 'close_account')),
  msisdn           text        NOT NULL,
  -- The range of numbers that this one is in: abuse shows in whole ranges whose codes nobody enters.
  number_range     text        NOT NULL,
  ip               text        NOT NULL,
  -- Keyed digest of the code, its purpose and its number. Null for a number without an account: nothing was sent then,
  -- but the limits count it, so that they do not tell who has one.
  digest           bytea,
  delivery         text        NOT NULL DEFAULT 'pending' CHECK (delivery IN ('pending', 'sent', 'failed', 'withheld')),
  attempts         integer     NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 5),
  created_at       timestamptz NOT NULL,
  expires_at       timestamptz NOT NULL,
  verified_at      timestamptz,
  -- SHA-256 of the token that verifying answered.
  token_digest     bytea       CONSTRAINT otps__token UNIQUE,
  token_expires_at timestamptz,
  used_at          timestamptz,
  CONSTRAINT otps__withheld CHECK ((delivery = 'withheld') = (digest IS NULL)),
  CONSTRAINT otps__token_with_verification CHECK (
    (verified_at IS NULL) = (token_digest IS NULL) AND (verified_at IS NULL) = (token_expires_at IS NULL))
);
CREATE INDEX otps__by_number ON otps (msisdn, created_at);
CREATE INDEX otps__by_ip ON otps (ip, created_at);
CREATE INDEX otps__by_range ON otps (number_range, created_at);
CREATE INDEX otps__by_age ON otps (created_at);
