-- Why: the guard let an order move in two ways that no fact of orders/order-states.ts leads: from INITIATED and, back to
-- PENDING, from NEEDS_ATTENTION. Owner: orders.
-- Locks: none (a function is replaced). Undo: the function as migration 0004 has it.

-- The last line of defence for the edges in orders/order-states.ts (a test compares the two).
CREATE OR REPLACE FUNCTION guard_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (OLD.status, NEW.status) NOT IN (
    ('INITIATED', 'PENDING'), ('INITIATED', 'FAILED'), ('INITIATED', 'CANCELLED'),
    ('PENDING', 'FAILED'), ('PENDING', 'CANCELLED'), ('PENDING', 'SUCCEEDED'), ('PENDING', 'NEEDS_ATTENTION'),
    ('FAILED', 'PENDING'), ('FAILED', 'CANCELLED'), ('CANCELLED', 'PENDING'), ('CANCELLED', 'FAILED'),
    ('NEEDS_ATTENTION', 'SUCCEEDED'), ('SUCCEEDED', 'NEEDS_ATTENTION')
  ) THEN
    RAISE EXCEPTION 'order % cannot go from % to %', OLD.id, OLD.status, NEW.status
      USING ERRCODE = 'check_violation', CONSTRAINT = 'orders__transition';
  END IF;
  RETURN NEW;
END $$;
