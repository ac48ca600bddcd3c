-- Why: who may sign in. Owner of every table here: identity. Locks: none (new tables). Undo: drop them.

CREATE TABLE users (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Null once the account is closed: the number is free again, the money records stay.
  msisdn        text        CONSTRAINT users__msisdn UNIQUE CHECK (msisdn ~ '^\+[1-9][0-9]{6,14}$'),
  name          text        NOT NULL,
  email         text,
  email_verified_at timestamptz,
  password_hash text        NOT NULL,
  status        text        NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'blocked', 'closed')),
  status_reason text,
  language      text        NOT NULL DEFAULT 'en' CHECK (language IN ('en', 'bn')),
  notify_email  boolean     NOT NULL DEFAULT true,
  notify_sms    boolean     NOT NULL DEFAULT true,
  marketing     boolean     NOT NULL DEFAULT false,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT users__closed_has_no_number CHECK ((status = 'closed') = (msisdn IS NULL))
);
CREATE INDEX users__by_email ON users (lower(email)) WHERE email IS NOT NULL;
CREATE TRIGGER users__touch BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE admins (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email         text        NOT NULL CHECK (email = lower(email)) CONSTRAINT admins__email UNIQUE,
  name          text        NOT NULL,
  password_hash text        NOT NULL,
  status        text        NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  -- Sealed. Counts once its first code was entered.
  totp_secret       bytea,
  totp_confirmed_at timestamptz,
  -- The 30 seconds whose code was used last: a code works once.
  totp_last_step    bigint      NOT NULL DEFAULT 0,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT admins__confirmed_has_secret CHECK (totp_confirmed_at IS NULL OR totp_secret IS NOT NULL)
);
CREATE TRIGGER admins__touch BEFORE UPDATE ON admins FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE roles (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name        text        NOT NULL CONSTRAINT roles__name UNIQUE,
  description text        NOT NULL DEFAULT '',
  -- `*` is every permission there is, now and later.
  permissions text[]      NOT NULL DEFAULT '{}',
  requires_totp boolean   NOT NULL DEFAULT false,
  created_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER roles__touch BEFORE UPDATE ON roles FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE admin_roles (
  admin_id bigint NOT NULL REFERENCES admins ON DELETE CASCADE,
  role_id  bigint NOT NULL REFERENCES roles ON DELETE RESTRICT,
  PRIMARY KEY (admin_id, role_id)
);
CREATE INDEX admin_roles__by_role ON admin_roles (role_id);

-- One row for each sign-in: the refresh-token family. Access tokens name it.
CREATE TABLE sessions (
  id           uuid        PRIMARY KEY,
  user_id      bigint      REFERENCES users ON DELETE CASCADE,
  admin_id     bigint      REFERENCES admins ON DELETE CASCADE,
  user_agent   text,
  ip           text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  ended_at     timestamptz,
  end_reason   text,
  -- A refresh token's successor is derived from the token and this, so that asking twice gets the same one
  -- although only digests are stored.
  secret       bytea       NOT NULL,
  -- The newest refresh token that its holder has shown. Older ones are theft (decisions part 2).
  confirmed_generation integer NOT NULL DEFAULT 1,
  CONSTRAINT sessions__ended_with_reason CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
  CONSTRAINT sessions__one_holder CHECK ((user_id IS NULL) <> (admin_id IS NULL))
);
CREATE INDEX sessions__by_user ON sessions (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX sessions__by_admin ON sessions (admin_id) WHERE admin_id IS NOT NULL;
CREATE INDEX sessions__by_end ON sessions (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX sessions__by_expiry ON sessions (expires_at);

-- 256 random bits each, stored as SHA-256: nothing to guess, so no slow hash.
CREATE TABLE refresh_tokens (
  digest       bytea       PRIMARY KEY,
  session_id   uuid        NOT NULL REFERENCES sessions ON DELETE CASCADE,
  generation   integer     NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT refresh_tokens__generation UNIQUE (session_id, generation)
);

-- Wrong passwords (and other guesses) per account and per address: they must hold on every process, so they are here.
CREATE TABLE guess_counters (
  kind           text        NOT NULL,
  subject        text        NOT NULL,
  failures       integer     NOT NULL,
  window_ends_at timestamptz NOT NULL,
  CONSTRAINT guess_counters__pk PRIMARY KEY (kind, subject)
);
CREATE INDEX guess_counters__by_end ON guess_counters (window_ends_at);
