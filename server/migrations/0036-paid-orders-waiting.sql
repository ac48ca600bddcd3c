-- Why: the sweep that takes up paid orders nobody works on reads these few rows, however many orders there are.
-- Owner: orders. Locks: orders against writes while the index is built. Undo: drop the index.

CREATE INDEX orders__paid_pending ON orders (paid_at) WHERE status = 'PENDING' AND paid_at IS NOT NULL;
