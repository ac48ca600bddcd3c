-- Why: who did what to what, so that nobody can deny it and nobody can quietly change it. Owner: identity.
-- Locks: none (new tables). Undo: drop both tables and the functions.

-- The end of each chain. The row lock makes writers of one stream take turns.
CREATE TABLE audit_streams (
  stream   text   PRIMARY KEY,
  position bigint NOT NULL,
  hash     bytea  NOT NULL
);

CREATE TABLE audit_logs (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Entries of one kind of resource form one chain, so that writers of different kinds do not wait for each other.
  stream        text        NOT NULL,
  position      bigint      NOT NULL,
  occurred_at   timestamptz NOT NULL,
  actor_kind    text        NOT NULL CHECK (actor_kind IN ('admin', 'api_key', 'system')),
  -- No foreign keys: an entry outlives whatever it is about.
  admin_id      bigint,
  session_id    text,
  ip            text,
  user_agent    text,
  request_id    text,
  action        text        NOT NULL,
  resource_type text        NOT NULL,
  resource_id   text,
  -- Codes and secrets are masked before they come here.
  before        jsonb,
  after         jsonb,
  previous_hash bytea       NOT NULL,
  hash          bytea       NOT NULL,
  CONSTRAINT audit_logs__position UNIQUE (stream, position),
  CONSTRAINT audit_logs__actor CHECK ((actor_kind = 'system') = (admin_id IS NULL))
);
CREATE INDEX audit_logs__by_actor ON audit_logs (admin_id, id);
CREATE INDEX audit_logs__by_resource ON audit_logs (resource_type, resource_id, id);
CREATE INDEX audit_logs__by_time ON audit_logs (occurred_at);

-- What an entry says, in one text that does not depend on any setting of the session, hashed with what came before.
-- jsonb prints its keys in one order and its numbers in one way.
CREATE FUNCTION audit_hash(entry audit_logs) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(entry.previous_hash || convert_to(jsonb_build_array(
    entry.stream, entry.position, to_char(entry.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    entry.actor_kind, entry.admin_id, entry.session_id, entry.ip, entry.user_agent, entry.request_id,
    entry.action, entry.resource_type, entry.resource_id, entry.before, entry.after)::text, 'UTF8'))
$$;

-- Links every new entry to the end of its chain, whoever inserts it.
CREATE FUNCTION link_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_streams AS chain (stream, position, hash) VALUES (NEW.stream, 1, sha256(convert_to(NEW.stream, 'UTF8')))
  ON CONFLICT (stream) DO UPDATE SET position = chain.position + 1
  RETURNING position, hash INTO NEW.position, NEW.previous_hash;
  NEW.hash := audit_hash(NEW);
  UPDATE audit_streams SET hash = NEW.hash WHERE stream = NEW.stream;
  RETURN NEW;
END $$;
CREATE TRIGGER audit_logs__link BEFORE INSERT ON audit_logs FOR EACH ROW EXECUTE FUNCTION link_audit_entry();
CREATE TRIGGER audit_logs__append_only BEFORE UPDATE OR DELETE ON audit_logs
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_logs__no_truncate BEFORE TRUNCATE ON audit_logs
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_streams__kept BEFORE DELETE ON audit_streams FOR EACH ROW EXECUTE FUNCTION refuse_change();
