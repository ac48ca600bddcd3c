import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerSession } from 'smtp-server';
import type { ArmedFault } from '../faults/fault-box.ts';
import type { World } from '../world.ts';
import type { Mailbox } from './mailbox.ts';

export interface SmtpInbox {
  url: string;
  close(): Promise<void>;
}

/** What to say to the client, or that the connection is cut without a word. */
type Verdict = { say: 'ok' } | { say: 'error'; code: number; text: string } | { say: 'nothing' };

const FAULTS = ['reject', 'error_500', 'timeout', 'unknown_result', 'slow'] as const;
const HOLD_LIMIT_MS = 60_000;
const SLOW_MS = 3_000;

/** An SMTP server that keeps every message; plain connections, any login accepted. */
export async function startSmtpInbox(
  world: World,
  mailbox: Mailbox,
  listen: { host: string; port: number },
): Promise<SmtpInbox> {
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    name: 'sandbox',
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 1,
    onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'anyone' }),
    onData(stream, session, done) {
      void receive(world, mailbox, { message: buffer(stream), session }).then(
        (verdict) => {
          if (verdict.say === 'ok') done(null, 'Message accepted');
          else if (verdict.say === 'error')
            done(Object.assign(new Error(verdict.text), { responseCode: verdict.code }));
          else destroySocketOf(sockets, session);
        },
        (error: Error) => done(Object.assign(error, { responseCode: 451 })),
      );
    },
  });
  server.on('error', () => {}); // a client that hangs up is its own business
  server.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(listen.port, listen.host);
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const host = listen.host === '0.0.0.0' ? '127.0.0.1' : listen.host;
  return {
    url: `smtp://${host}:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

async function receive(
  world: World,
  mailbox: Mailbox,
  incoming: { message: Promise<Buffer>; session: SMTPServerSession },
): Promise<Verdict> {
  const raw = await incoming.message;
  const mail = await parse(raw, incoming.session);
  const armed = world.faults.takeFirst('smtp', FAULTS, ['delivery']);
  const verdict = await judge(armed, world.closing);
  const stored = verdict.say === 'ok' || armed?.fault === 'unknown_result';
  if (stored) mailbox.add(mail);
  world.ledger.record({
    target: 'smtp',
    call: 'delivery',
    method: 'DATA',
    url: 'smtp:',
    request: {
      to: mail.to,
      from: mail.from,
      subject: mail.subject,
      messageId: mail.messageId,
      bytes: raw.length,
    },
    response: { ...verdict, stored },
    ...(armed ? { fault: armed.fault } : {}),
  });
  await world.ledger.flushed();
  return verdict;
}

async function judge(armed: ArmedFault | undefined, closing: AbortSignal): Promise<Verdict> {
  switch (armed?.fault) {
    case 'reject':
      return { say: 'error', code: 550, text: 'Mailbox unavailable' };
    case 'error_500':
      return {
        say: 'error',
        code: 451,
        text: 'Requested action aborted: local error in processing',
      };
    case 'unknown_result':
      return { say: 'nothing' };
    case 'timeout':
      await waited(HOLD_LIMIT_MS, closing);
      return { say: 'nothing' };
    case 'slow':
      await waited(armed.delayMs ?? SLOW_MS, closing);
      return { say: 'ok' };
    default:
      return { say: 'ok' };
  }
}

/** Ends early, and without complaint, when the sandbox closes. */
async function waited(limitMs: number, closing: AbortSignal): Promise<void> {
  await setTimeout(limitMs, undefined, { signal: closing }).catch(() => {});
}

async function parse(raw: Buffer, session: SMTPServerSession) {
  const mail = await PostalMime.parse(raw);
  const { mailFrom, rcptTo } = session.envelope;
  return {
    to: rcptTo.map((recipient) => recipient.address).join(', '),
    from: mail.from?.address ?? (mailFrom === false ? '' : mailFrom.address),
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    messageId: mail.messageId ?? '',
    receivedAt: new Date().toISOString(),
  };
}

/** The session carries no socket, but the client's port tells which one it is. */
function destroySocketOf(sockets: Set<Socket>, session: SMTPServerSession): void {
  for (const socket of sockets) {
    if (socket.remotePort === session.remotePort && socket.remoteAddress?.endsWith(session.remoteAddress))
      socket.destroy();
  }
}
