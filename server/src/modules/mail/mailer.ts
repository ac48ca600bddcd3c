import { Readable } from 'node:stream';

import { createTransport } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';

import { isInTransaction } from '../../platform/db/database.ts';

export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
}

/** What became of a letter. `unknown`: the text went out and no answer came back. */
export type Delivery =
  | { readonly kind: 'accepted'; readonly reply: string }
  | { readonly kind: 'rejected'; readonly reply: string }
  | { readonly kind: 'not_sent'; readonly reply: string }
  | { readonly kind: 'unknown'; readonly reply: string };

export interface Mailer {
  /**
   * Hands a letter to the mail server. `beforeText` runs when the server is ready for the text; when it answers
   * false, nothing is sent.
   */
  deliver(letter: Letter, beforeText: () => Promise<boolean>): Promise<Delivery>;
  /** The part of Message-IDs after the @. */
  readonly domain: string;
  close(): void;
}

const CONNECT_MS = 5_000;
const SOCKET_MS = 15_000;

/** SMTP through nodemailer, with pooled connections. Safe to call at once for many letters. */
export function createMailer(options: { smtpUrl: string; from: string }): Mailer {
  const transport = createTransport({
    url: options.smtpUrl,
    pool: true,
    maxConnections: 5,
    maxMessages: 200,
    // The stream below can be read once: the library must not start a letter again, our queue does.
    maxRequeues: 0,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SOCKET_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = options.from.split('@').at(-1)?.replace(/>.*$/, '').trim() ?? 'localhost';
  return {
    domain,
    async deliver(letter, beforeText) {
      if (isInTransaction()) throw new Error('No mail inside a transaction');
      const raw = await compose(letter, options.from);
      let textWentOut = false;
      // Read only after the server's "go ahead", so this is the last moment before the text leaves.
      const stream = Readable.from(
        (async function* lastCheck() {
          if (!(await beforeText())) throw new Error('the claim on this message was lost');
          textWentOut = true;
          yield raw;
        })(),
      );
      try {
        const sent = await transport.sendMail({
          envelope: { from: bareAddress(options.from), to: [letter.to] },
          raw: stream,
        });
        return { kind: 'accepted', reply: sent.response };
      } catch (error) {
        return classify(error, textWentOut);
      }
    },
    close: () => transport.close(),
  };
}

function compose(letter: Letter, from: string): Promise<Buffer> {
  const { to, subject, text, html, messageId } = letter;
  const headers = { 'Auto-Submitted': 'auto-generated', 'X-Entity-Ref-ID': messageId };
  return new MailComposer({ from, to: { name: '', address: to }, subject, text, html, messageId, headers })
    .compile()
    .build();
}

function bareAddress(from: string): string {
  return /<([^>]+)>/.exec(from)?.[1] ?? from;
}

/**
 * A 5xx to the recipient or the text is a definite no; an answer below 500 or none at all before the text is a
 * definite "not sent"; silence after the text is neither.
 */
function classify(error: unknown, textWentOut: boolean): Delivery {
  const { responseCode, response, command, message } = error as Error & Record<string, unknown>;
  const reply = (typeof response === 'string' ? response : message).slice(0, 500);
  if (typeof responseCode === 'number') {
    const aboutThisLetter = command === 'RCPT TO' || command === 'DATA';
    return responseCode >= 500 && aboutThisLetter ? { kind: 'rejected', reply } : { kind: 'not_sent', reply };
  }
  return textWentOut ? { kind: 'unknown', reply } : { kind: 'not_sent', reply };
}
