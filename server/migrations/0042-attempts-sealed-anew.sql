-- Why: what was typed at a redemption is sealed, and a key that is rotated must go one day. Of an attempt the seal alone
-- may change, as of a partner's call; what was typed stays known by its digest. Owner: redemption.
-- Locks: redemption_attempts against writes, for replacing a trigger: an instant. Undo: the trigger as 0020 has it.

DROP TRIGGER redemption_attempts__append_only ON redemption_attempts;
CREATE TRIGGER redemption_attempts__append_only BEFORE UPDATE ON redemption_attempts
  FOR EACH ROW WHEN (to_jsonb(OLD) - 'token_sealed' IS DISTINCT FROM to_jsonb(NEW) - 'token_sealed'
    OR (OLD.token_sealed IS NULL) IS DISTINCT FROM (NEW.token_sealed IS NULL))
  EXECUTE FUNCTION refuse_change();
CREATE TRIGGER redemption_attempts__kept BEFORE DELETE ON redemption_attempts
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
