-- Why: facts get a place in one log that nobody can read past a gap, and webhooks deliver them. Locks: outbox_events for a
-- moment (new empty column, indexes on what is there). Undo: drop the tables and the column.

-- The place in the published log, given by one publisher at a time to rows that are committed. `position` cannot serve:
-- it is given at insert, so a reader could pass 6 while 5 is not committed yet, and would never see 5.
ALTER TABLE outbox_events
  ADD COLUMN sequence bigint CONSTRAINT outbox_events__sequence UNIQUE;
CREATE INDEX outbox_events__unpublished ON outbox_events (position) WHERE sequence IS NULL;
CREATE INDEX outbox_events__by_time ON outbox_events (occurred_at);

-- Owner: events. One row: the last sequence given. Its lock makes publishers take turns.
CREATE TABLE event_log_head (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  last    bigint  NOT NULL DEFAULT 0
);
INSERT INTO event_log_head DEFAULT VALUES;

-- Owner: events. Who follows the published log by itself, and how far it has come.
CREATE TABLE event_followers (
  name     text   PRIMARY KEY,
  sequence bigint NOT NULL DEFAULT 0
);

-- Owner: events. Where events are delivered to.
CREATE TABLE webhook_endpoints (
  id                     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  url                    text        NOT NULL,
  description            text        NOT NULL DEFAULT '',
  -- Kinds, or '*' for all.
  events                 text[]      NOT NULL CONSTRAINT webhook_endpoints__events CHECK (cardinality(events) > 0),
  status                 text        NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
  -- By whom or what it was disabled.
  disabled_reason        text        CHECK (disabled_reason IN ('operator', 'gone', 'failing')),
  secret_sealed          bytea       NOT NULL,
  -- Signs too until its time is over, so that consumers can change without a gap.
  previous_secret_sealed bytea,
  previous_secret_until  timestamptz,
  -- Since when no delivery has succeeded; null while the last one did.
  failing_since          timestamptz,
  created_by             bigint      REFERENCES admins ON DELETE RESTRICT,
  created_at             timestamptz NOT NULL DEFAULT now(),
  updated_at             timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT webhook_endpoints__disabled CHECK ((status = 'disabled') = (disabled_reason IS NOT NULL)),
  CONSTRAINT webhook_endpoints__previous CHECK ((previous_secret_sealed IS NULL) = (previous_secret_until IS NULL))
);
CREATE TRIGGER webhook_endpoints__touch BEFORE UPDATE ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- Owner: events. One event for one endpoint.
CREATE TABLE webhook_deliveries (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint_id bigint      NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  event_id    uuid        NOT NULL REFERENCES outbox_events ON DELETE RESTRICT,
  event_type  text        NOT NULL,
  stream      text        NOT NULL,
  sequence    bigint      NOT NULL,
  -- parked: tried for three days, or the endpoint said it is gone; replay or redeliver sends it again.
  status      text        NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'parked')),
  -- Tries since it was last made pending.
  attempts    integer     NOT NULL DEFAULT 0,
  created_at  timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  CONSTRAINT webhook_deliveries__once UNIQUE (endpoint_id, event_id),
  CONSTRAINT webhook_deliveries__finished CHECK ((status = 'pending') = (finished_at IS NULL))
);
CREATE INDEX webhook_deliveries__pending ON webhook_deliveries (endpoint_id, stream, sequence) WHERE status = 'pending';
CREATE INDEX webhook_deliveries__by_endpoint ON webhook_deliveries (endpoint_id, id);
CREATE INDEX webhook_deliveries__by_event ON webhook_deliveries (event_id);

-- Owner: events. A stream of an endpoint that has something pending: whoever claims it sends its first delivery. Order
-- within a stream, and streams beside each other, follow from that.
CREATE TABLE webhook_lanes (
  endpoint_id   bigint      NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  stream        text        NOT NULL,
  due_at        timestamptz NOT NULL,
  claim_token   uuid,
  claimed_until timestamptz,
  CONSTRAINT webhook_lanes__pk PRIMARY KEY (endpoint_id, stream),
  CONSTRAINT webhook_lanes__claimed CHECK ((claim_token IS NULL) = (claimed_until IS NULL))
);
CREATE INDEX webhook_lanes__due ON webhook_lanes (endpoint_id, due_at);

-- Owner: events. Every request that was sent, and what came back.
CREATE TABLE webhook_attempts (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  delivery_id     bigint      NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
  url             text        NOT NULL,
  started_at      timestamptz NOT NULL,
  duration_ms     integer     NOT NULL,
  -- Null when there was no answer; `error` says why.
  response_status integer,
  response_body   text,
  error           text
);
CREATE INDEX webhook_attempts__by_delivery ON webhook_attempts (delivery_id, id);
