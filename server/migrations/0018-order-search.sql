-- Why: operators find an order by the address its codes went to, and see what happened to it. Owner: orders, mail.
-- Locks: writes to orders while the index is built (SHARE lock). Undo: drop the index.
CREATE INDEX orders__by_delivery_email ON orders (lower(delivery_email)) WHERE delivery_email IS NOT NULL;
