-- Why: what the platform itself keeps. Locks: none (new tables). Undo: DROP TABLE idempotency_keys.

-- Owner: platform/http. The first answer to an Idempotency-Key, for 24 hours.
CREATE TABLE idempotency_keys (
  scope          text        NOT NULL,
  key            text        NOT NULL,
  request_digest bytea       NOT NULL,
  answer         jsonb,
  created_at     timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT idempotency_keys__pk PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_keys__by_age ON idempotency_keys (created_at);

-- Sets updated_at on tables that have it.
CREATE FUNCTION touch_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at := now();
  RETURN NEW;
END $$;

-- Refuses UPDATE and DELETE on append-only tables, whoever asks.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '__append_only';
END $$;
