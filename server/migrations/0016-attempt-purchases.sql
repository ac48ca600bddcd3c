-- Why: an attempt shows the purchase it ended with (interface part 2, partner_api_transaction). Owner: fulfillment.
-- Locks: fulfillment_attempts for the moment of adding a nullable column. Undo: drop the column.

ALTER TABLE fulfillment_attempts
  ADD COLUMN partner_api_transaction_id bigint REFERENCES partner_api_transactions ON DELETE RESTRICT;
CREATE INDEX fulfillment_attempts__by_purchase ON fulfillment_attempts (partner_api_transaction_id)
  WHERE partner_api_transaction_id IS NOT NULL;
