-- Why: the letter with a redeemed voucher code goes through the same durable queue as every other. Owner: mail.
-- Its text is made when it is sent from the code it refers to, so no voucher code is stored in a message.
-- Locks: mail_messages, for as long as adding an empty column takes. Undo: drop the index and the column.

ALTER TABLE mail_messages ADD COLUMN redemption_code_id bigint REFERENCES redemption_codes ON DELETE RESTRICT;
-- Asking again for the same letter sends no second one.
CREATE UNIQUE INDEX mail_messages__one_per_redemption ON mail_messages (redemption_code_id, lower(recipient))
  WHERE redemption_code_id IS NOT NULL;
