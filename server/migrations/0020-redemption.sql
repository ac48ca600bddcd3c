-- Why: promotional campaigns hand out pre-funded codes by QR link. Owner of every table and function here: redemption.
-- Locks: none (new tables). Undo: drop the tables and functions.

CREATE TABLE redemption_campaigns (
  id                   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name                 text        NOT NULL,
  slug                 text        NOT NULL CONSTRAINT redemption_campaigns__slug UNIQUE,
  headline             text,
  cta_text             text,
  description          text,
  -- Shown with every voucher code that has no instructions of its own.
  instruction_template text,
  -- How long the tokens of this campaign are, unless a generation asks for another length.
  code_length          integer     NOT NULL DEFAULT 9 CHECK (code_length BETWEEN 1 AND 32),
  -- Null means no limit.
  max_per_ip           integer     CHECK (max_per_ip >= 1),
  starts_at            timestamptz,
  ends_at              timestamptz,
  status               text        NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'expired')),
  variant_id           bigint      REFERENCES product_variants ON DELETE SET NULL,
  -- Kept for old clients and ignored (interface part 2).
  require_email        boolean     NOT NULL DEFAULT false,
  require_phone        boolean     NOT NULL DEFAULT true,
  -- The `ends_at` for which the sweep has stored `expired` on every code: it need not look again.
  expired_for          timestamptz,
  created_at           timestamptz NOT NULL DEFAULT now(),
  updated_at           timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT redemption_campaigns__window CHECK (ends_at > starts_at)
);
CREATE INDEX redemption_campaigns__by_variant ON redemption_campaigns (variant_id);
CREATE TRIGGER redemption_campaigns__touch BEFORE UPDATE ON redemption_campaigns
  FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- One row for each run of the token generator: what an operator sees while it runs, and where a code came from.
CREATE TABLE redemption_generations (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id bigint      NOT NULL REFERENCES redemption_campaigns ON DELETE CASCADE,
  requested   integer     NOT NULL CHECK (requested BETWEEN 1 AND 50000),
  created     integer     NOT NULL DEFAULT 0 CHECK (created <= requested),
  state       text        NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
  created_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX redemption_generations__by_campaign ON redemption_generations (campaign_id, id);
CREATE TRIGGER redemption_generations__touch BEFORE UPDATE ON redemption_generations
  FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

-- Redeeming changes no indexed column and finds room on its page: the update touches no index.
CREATE TABLE redemption_codes (
  id                   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id          bigint      NOT NULL REFERENCES redemption_campaigns ON DELETE RESTRICT,
  generation_id        bigint      REFERENCES redemption_generations ON DELETE RESTRICT,
  -- The token on paper, sealed by platform/secret-box.ts for export; found by its keyed digest only.
  token_digest         bytea       NOT NULL CONSTRAINT redemption_codes__token_once UNIQUE,
  token_sealed         bytea       NOT NULL,
  -- What redeeming reveals. Null until an operator supplies it.
  voucher_code_sealed  bytea,
  voucher_code_digest  bytea,
  instructions         text,
  status               text        NOT NULL
                       CHECK (status IN ('pending_stock', 'unused', 'redeemed', 'voided', 'expired')),
  redeemed_at          timestamptz,
  -- The address, or the /64 of an IPv6 one: who may see the voucher code again for 24 hours.
  redeemed_ip_key      text,
  created_at           timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT redemption_codes__voucher_code CHECK ((voucher_code_sealed IS NULL) = (voucher_code_digest IS NULL)),
  CONSTRAINT redemption_codes__stocked CHECK (
    (status <> 'pending_stock' OR voucher_code_sealed IS NULL)
    AND (status NOT IN ('unused', 'redeemed') OR voucher_code_sealed IS NOT NULL)),
  CONSTRAINT redemption_codes__redeemed_at CHECK ((status = 'redeemed') = (redeemed_at IS NOT NULL)),
  CONSTRAINT redemption_codes__redeemed_by CHECK ((status = 'redeemed') = (redeemed_ip_key IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX redemption_codes__by_campaign ON redemption_codes (campaign_id, id);
CREATE INDEX redemption_codes__by_generation ON redemption_codes (generation_id);
CREATE INDEX redemption_codes__by_voucher_code ON redemption_codes (voucher_code_digest)
  WHERE voucher_code_digest IS NOT NULL;

-- The life cycle of interface part 3 once more, whatever the program believes: a code goes forward only, its token
-- never changes, and what was revealed stays as it was revealed.
CREATE FUNCTION guard_redemption_code() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status IN ('redeemed', 'voided', 'expired') AND NEW IS DISTINCT FROM OLD THEN
    RAISE EXCEPTION 'redemption code % is % for ever', OLD.id, OLD.status
      USING ERRCODE = 'check_violation', CONSTRAINT = 'redemption_codes__final';
  END IF;
  IF NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (
       ('pending_stock', 'unused'), ('pending_stock', 'voided'), ('pending_stock', 'expired'),
       ('unused', 'redeemed'), ('unused', 'voided'), ('unused', 'expired')) THEN
    RAISE EXCEPTION 'redemption code %: % never becomes %', OLD.id, OLD.status, NEW.status
      USING ERRCODE = 'check_violation', CONSTRAINT = 'redemption_codes__transition';
  END IF;
  IF NEW.token_digest <> OLD.token_digest OR NEW.campaign_id <> OLD.campaign_id THEN
    RAISE EXCEPTION 'redemption code %: the token is what was printed', OLD.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'redemption_codes__immutable';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER redemption_codes__guard BEFORE UPDATE ON redemption_codes
  FOR EACH ROW EXECUTE FUNCTION guard_redemption_code();

CREATE FUNCTION keep_redeemed_code() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'redemption code % was redeemed and cannot be deleted', OLD.id
    USING ERRCODE = 'check_violation', CONSTRAINT = 'redemption_codes__redeemed_is_kept';
END $$;
CREATE TRIGGER redemption_codes__keep_redeemed BEFORE DELETE ON redemption_codes
  FOR EACH ROW WHEN (OLD.status = 'redeemed') EXECUTE FUNCTION keep_redeemed_code();

-- How many codes an address took from a campaign that limits them. No reference to the campaign: checking one locks the
-- campaign's row on every insert, and all visitors of a campaign would meet there.
CREATE TABLE redemption_ip_counters (
  campaign_id bigint  NOT NULL,
  ip_key      text    NOT NULL,
  redeemed    integer NOT NULL CHECK (redeemed >= 1),
  CONSTRAINT redemption_ip_counters__pk PRIMARY KEY (campaign_id, ip_key)
);

-- Every lookup and redeem that was answered, append-only. It refers to nothing by constraint: a row outlives its code
-- and its campaign, and writing one locks neither.
CREATE TABLE redemption_attempts (
  id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign_id        bigint,
  redemption_code_id bigint,
  -- What was typed, sealed: a token that was only looked at is still worth its voucher.
  token_sealed       bytea,
  token_digest       bytea,
  action             text        NOT NULL CHECK (action IN ('lookup', 'redeem')),
  outcome            text        NOT NULL CHECK (outcome IN (
                       'available', 'redeemed', 'revealed_again', 'phone_required', 'unknown_code', 'voided',
                       'already_redeemed', 'expired', 'not_started', 'campaign_inactive', 'temporarily_unavailable',
                       'ip_limit_reached')),
  ip                 text        NOT NULL,
  ip_key             text        NOT NULL,
  user_agent         text,
  phone              text,
  email              text,
  created_at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX redemption_attempts__by_campaign ON redemption_attempts (campaign_id, id);
CREATE INDEX redemption_attempts__by_address ON redemption_attempts (ip_key, id);
CREATE INDEX redemption_attempts__by_phone ON redemption_attempts
  (right(regexp_replace(phone, '\D', '', 'g'), 10), id) WHERE phone IS NOT NULL;
CREATE TRIGGER redemption_attempts__append_only BEFORE UPDATE OR DELETE ON redemption_attempts
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER redemption_attempts__never_truncated BEFORE TRUNCATE ON redemption_attempts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Why a code cannot be redeemed at a moment, in the order of decisions 7.1, or null. Pure: the campaign's clock needs no
-- job and is the database's, so it is the same on every process to the microsecond.
CREATE FUNCTION redemption_refusal(
  code_status text, campaign_status text, starts_at timestamptz, ends_at timestamptz, moment timestamptz
) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN code_status = 'voided' THEN 'voided'
    WHEN code_status = 'redeemed' THEN 'already_redeemed'
    WHEN code_status = 'expired' OR moment > ends_at THEN 'expired'
    WHEN moment < starts_at THEN 'not_started'
    WHEN campaign_status <> 'active' THEN 'campaign_inactive'
    WHEN code_status = 'pending_stock' THEN 'temporarily_unavailable'
  END
$$;

-- Takes a code for an address, or says why not. A function and not a CTE, because what is read after waiting for a lock
-- must be read as it is then: each statement in here sees what was committed before it.
--
-- Who else may be here: redeems of the same code wait for its row; whoever finds it taken after waiting was under way
-- when another took it, and gets already_redeemed even from the address that took it (decisions 7.2). So does one that
-- reached its process before the code was taken: `underway_seconds` is how long ago that was. Redeems from one
-- address wait for its counter; a count under a lock on the code instead lets 16 of 16 through a limit of 3. Redeems of
-- a campaign without a limit share nothing but an advisory lock, which only an operator who sets a limit takes alone:
-- counting starts from what was redeemed until then.
CREATE FUNCTION take_redemption_code(asked_digest bytea, asker_ip_key text, underway_seconds double precision)
RETURNS TABLE (
  outcome text, code_id bigint, campaign_id bigint, voucher_code_sealed bytea, instructions text
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  code     redemption_codes;
  campaign redemption_campaigns;
  waited   boolean := false;
BEGIN
  SELECT * INTO code FROM redemption_codes WHERE token_digest = asked_digest;
  IF code.status = 'unused' THEN
    waited := true;
    SELECT * INTO code FROM redemption_codes WHERE id = code.id FOR NO KEY UPDATE;
  END IF;
  IF code.id IS NULL THEN
    RETURN QUERY SELECT 'unknown_code', NULL::bigint, NULL::bigint, NULL::bytea, NULL::text;
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(726503, hashint8(code.campaign_id));
  SELECT * INTO campaign FROM redemption_campaigns WHERE id = code.campaign_id;

  outcome := redemption_refusal(code.status, campaign.status, campaign.starts_at, campaign.ends_at, now());
  IF outcome = 'already_redeemed' AND NOT waited AND code.redeemed_ip_key = asker_ip_key
     AND code.redeemed_at > now() - interval '24 hours'
     AND code.redeemed_at < now() - make_interval(secs => underway_seconds) THEN
    outcome := 'revealed_again';
  ELSIF outcome IS NULL AND campaign.max_per_ip IS NOT NULL THEN
    INSERT INTO redemption_ip_counters AS counter VALUES (code.campaign_id, asker_ip_key, 1)
    ON CONFLICT ON CONSTRAINT redemption_ip_counters__pk
      DO UPDATE SET redeemed = counter.redeemed + 1 WHERE counter.redeemed < campaign.max_per_ip;
    IF NOT FOUND THEN
      outcome := 'ip_limit_reached';
    END IF;
  END IF;
  IF outcome IS NULL THEN
    UPDATE redemption_codes
    SET status = 'redeemed', redeemed_at = clock_timestamp(), redeemed_ip_key = asker_ip_key
    WHERE id = code.id;
    outcome := 'redeemed';
  END IF;
  RETURN QUERY SELECT outcome, code.id, code.campaign_id,
    CASE WHEN outcome IN ('redeemed', 'revealed_again') THEN code.voucher_code_sealed END,
    coalesce(code.instructions, campaign.instruction_template);
END $$;
