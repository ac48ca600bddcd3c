-- Why: second factors, API keys, links sent by e-mail, and what customers keep. Owner of every table here: identity.
-- Locks: none (new tables). Undo: drop them.

-- Between the password and the second factor of a sign-in.
CREATE TABLE mfa_challenges (
  digest     bytea       PRIMARY KEY,
  admin_id   bigint      NOT NULL REFERENCES admins ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);
CREATE INDEX mfa_challenges__by_expiry ON mfa_challenges (expires_at);

-- Keyed digests: ten for each admin with a second factor, each good once.
CREATE TABLE recovery_codes (
  admin_id bigint NOT NULL REFERENCES admins ON DELETE CASCADE,
  digest   bytea  NOT NULL,
  used_at  timestamptz,
  PRIMARY KEY (admin_id, digest)
);

CREATE TABLE api_keys (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Whoever made it: the key can never do more than its maker can now.
  admin_id     bigint      NOT NULL REFERENCES admins ON DELETE CASCADE,
  name         text        NOT NULL,
  scopes       text[]      NOT NULL CHECK (cardinality(scopes) > 0),
  -- SHA-256 of 256 random bits; prefix and last4 are what a list shows.
  digest       bytea       NOT NULL CONSTRAINT api_keys__digest UNIQUE,
  prefix       text        NOT NULL,
  last4        text        NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz,
  last_used_at timestamptz,
  revoked_at   timestamptz
);
CREATE INDEX api_keys__by_admin ON api_keys (admin_id);

-- Links in e-mails, as SHA-256 of their token. One live link for each admin or customer and purpose.
CREATE TABLE email_links (
  digest     bytea       PRIMARY KEY,
  purpose    text        NOT NULL CHECK (purpose IN ('verify_email', 'reset_admin_password')),
  user_id    bigint      REFERENCES users ON DELETE CASCADE,
  admin_id   bigint      REFERENCES admins ON DELETE CASCADE,
  -- What the link proves the ownership of: the address at the time it was sent.
  email      text        NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz,
  CONSTRAINT email_links__one_holder CHECK ((user_id IS NULL) <> (admin_id IS NULL))
);
CREATE INDEX email_links__by_user ON email_links (user_id, created_at) WHERE user_id IS NOT NULL;
CREATE INDEX email_links__by_admin ON email_links (admin_id, created_at) WHERE admin_id IS NOT NULL;

-- Game accounts and addresses that a customer buys for again and again.
CREATE TABLE saved_recipients (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id    bigint      NOT NULL REFERENCES users ON DELETE CASCADE,
  label      text        NOT NULL,
  type       text        NOT NULL CHECK (type IN ('email', 'player_id', 'account_id', 'uid')),
  value      text        NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT saved_recipients__once UNIQUE (user_id, type, value)
);
CREATE TRIGGER saved_recipients__touch BEFORE UPDATE ON saved_recipients FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
