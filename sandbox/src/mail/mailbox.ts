import type { Ledger } from '../ledger/ledger.ts';
import { randomLetters } from '../random-text.ts';

export interface Mail {
  /** Envelope recipients, comma separated. */
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string;
  messageId: string;
  /** ISO 8601. */
  receivedAt: string;
}

export interface StoredMail extends Mail {
  id: string;
}

export interface Mailbox {
  add(mail: Mail): void;
  /** Oldest first; `to` keeps the messages that have this address among their recipients. */
  list(to?: string): StoredMail[];
  find(id: string): StoredMail | undefined;
  clear(): void;
}

export function openMailbox(ledger: Ledger): Mailbox {
  const table = ledger.table<StoredMail>('mail');
  const sentTo = table.indexBy((mail) => mail.to.toLowerCase().split(', '));
  return {
    add(mail) {
      const id = randomLetters(12);
      table.put(id, { id, ...mail });
    },
    list: (to) => (to === undefined ? table.rows() : sentTo(to.trim().toLowerCase())),
    find: (id) => table.get(id),
    clear: () => table.clear(),
  };
}
