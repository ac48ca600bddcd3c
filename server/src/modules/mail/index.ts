export { createMailer } from './mailer.ts';
export type { Delivery, Letter, Mailer } from './mailer.ts';
export {
  claimMessage,
  findMessage,
  giveBackDeadClaim,
  insertMessage,
  insertMessageWithJob,
  listMessagesOfOrder,
  markMessageSent,
  markMessageTransmitting,
  markMessageUnsent,
  supersedeMessages,
} from './message-store.ts';
export type { MessageRow } from './message-store.ts';
