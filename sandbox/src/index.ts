import type { AddressInfo } from 'node:net';
import formbody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { serveControl } from './control/control-routes.ts';
import { loadCredentials } from './credentials.ts';
import { createFaultBox } from './faults/fault-box.ts';
import { guardWire } from './faults/wire.ts';
import { GATEWAYS } from './gateways/gateways.ts';
import { PARTNERS } from './partners/partners.ts';
import { openLedger } from './ledger/ledger.ts';
import { openMailbox } from './mail/mailbox.ts';
import type { Mailbox } from './mail/mailbox.ts';
import { startSmtpInbox } from './mail/smtp-inbox.ts';
import { servePages } from './pages/serve-pages.ts';
import { openSmsBox, serveSms } from './sms/sms-gateway.ts';
import type { World } from './world.ts';

export interface SandboxOptions {
  host: string;
  /** 0 takes a free port, here and for SMTP. */
  port: number;
  smtpPort: number;
  /** Everything it remembers, and its demo credentials, live here. */
  dataDir: string;
  /** Where browsers reach it, when that differs from host and port. */
  publicUrl?: string;
  /** How many bKash token calls an hour are allowed; the vendor allows 2. */
  tokenCallsPerHour?: number;
  log?: (line: string) => void;
}

export interface Sandbox {
  url: string;
  smtpUrl: string;
  close(): Promise<void>;
}

const VENDOR_TOKEN_CALLS_PER_HOUR = 2;
const BODY_LIMIT_BYTES = 1024 * 1024;

/** Starts stand-ins for the five gateways, the partners, a mail server and an SMS gateway. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const ledger = await openLedger(options.dataDir);
  const closing = new AbortController();
  let url = options.publicUrl ?? '';
  const world: World = {
    ledger,
    faults: createFaultBox(ledger),
    credentials: await loadCredentials(options.dataDir),
    url: () => url,
    closing: closing.signal,
    tokenCallsPerHour: options.tokenCallsPerHour ?? VENDOR_TOKEN_CALLS_PER_HOUR,
  };
  const mailbox = openMailbox(ledger);
  const smtp = await startSmtpInbox(world, mailbox, { host: options.host, port: options.smtpPort });
  const app = await createApp(world, { mailbox, smtpUrl: smtp.url });
  await app.listen({ host: options.host, port: options.port });
  const { port } = app.server.address() as AddressInfo;
  url ||= `http://${options.host === '0.0.0.0' ? '127.0.0.1' : options.host}:${port}`;
  options.log?.(`sandbox on ${url}, mail on ${smtp.url}`);

  return {
    url,
    smtpUrl: smtp.url,
    async close() {
      closing.abort();
      await Promise.all([app.close(), smtp.close()]);
      await ledger.close();
    },
  };
}

async function createApp(world: World, { mailbox, smtpUrl }: { mailbox: Mailbox; smtpUrl: string }) {
  const app = fastify({
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
  });
  await app.register(formbody, { parser: readForm });
  await app.register(multipart, { attachFieldsToBody: 'keyValues' });
  acceptOddBodies(app);
  guardWire(app, world);

  const gateways = GATEWAYS.map((create) => create(world));
  const partners = PARTNERS.map((create) => create(world));
  for (const standIn of [...gateways, ...partners]) standIn.serve(app);
  const smsBox = openSmsBox(world.ledger);
  serveSms(app, world, smsBox);
  serveControl(app, world, {
    gateways,
    mailbox,
    smsBox,
    credentials: () => ({
      ...Object.fromEntries([...gateways, ...partners].map((standIn) => [standIn.name, standIn.config()])),
      smtp: { url: smtpUrl },
      sms: { url: `${world.url()}/sms/send`, api_key: world.credentials.sms.apiKey },
    }),
  });
  servePages(app, world, { gateways, mailbox, smsBox });
  return app;
}

/** Some vendors document a form and show JSON under its content type: both are read. */
function readForm(text: string): Record<string, unknown> {
  if (text.startsWith('{')) return JSON.parse(text) as Record<string, unknown>;
  return Object.fromEntries(new URLSearchParams(text));
}

/** Vendors forgive an empty JSON body and a missing or strange content type; so must we. */
function acceptOddBodies(app: FastifyInstance): void {
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? null : JSON.parse(String(body)));
    } catch {
      done(Object.assign(new Error('The body is not JSON'), { statusCode: 400 }));
    }
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
}
