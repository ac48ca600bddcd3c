-- Why: each item knows its part of the order's discount, so that refunds and margins add up to the poisha. Owner: orders.
-- Locks: order_items for a moment (a column with a constant default is not a rewrite). Undo: drop the column.

-- The item's share; the shares of an order sum exactly to its discount.
ALTER TABLE order_items
  ADD COLUMN discount_minor bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT order_items__discount_within_line CHECK (discount_minor BETWEEN 0 AND unit_price_minor * quantity);
