-- Why: who may sign in. Owner of every table here: identity. Locks: none (new tables). Undo: drop them.

CREATE TABLE users (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  msisdn        text        NOT NULL CONSTRAINT users__msisdn UNIQUE CHECK (msisdn ~ '^\+[1-9][0-9]{6,14}$'),
  name          text        NOT NULL,
  email         text,
  password_hash text        NOT NULL,
  status        text        NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'blocked', 'closed')),
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER users__touch BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE admins (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email         text        NOT NULL CHECK (email = lower(email)) CONSTRAINT admins__email UNIQUE,
  name          text        NOT NULL,
  password_hash text        NOT NULL,
  status        text        NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER admins__touch BEFORE UPDATE ON admins FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

CREATE TABLE roles (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name        text        NOT NULL CONSTRAINT roles__name UNIQUE,
  permissions text[]      NOT NULL DEFAULT '{}',
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
  CONSTRAINT sessions__one_holder CHECK ((user_id IS NULL) <> (admin_id IS NULL))
);
CREATE INDEX sessions__by_user ON sessions (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX sessions__by_admin ON sessions (admin_id) WHERE admin_id IS NOT NULL;

-- 256 random bits each, stored as SHA-256: nothing to guess, so no slow hash.
CREATE TABLE refresh_tokens (
  digest       bytea       PRIMARY KEY,
  session_id   uuid        NOT NULL REFERENCES sessions ON DELETE CASCADE,
  generation   integer     NOT NULL DEFAULT 1,
  created_at   timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT refresh_tokens__generation UNIQUE (session_id, generation)
);
