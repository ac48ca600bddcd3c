-- Why: the log of deliveries is kept for 30 days, and what is older has to be found. Locks: webhook_deliveries while the index is
-- made. Undo: drop it.
CREATE INDEX webhook_deliveries__by_end ON webhook_deliveries (finished_at) WHERE status <> 'pending';
