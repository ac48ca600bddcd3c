/** What stands outside in the order benchmark: a gateway and a mail server that always answer, and always the same. */
import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createServer as createTcp } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

export const PRICE = '500.00';

export interface Outside {
  readonly gatewayUrl: string;
  readonly smtpUrl: string;
  close(): void;
}

export async function startOutside(): Promise<Outside> {
  const gateway = createHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer(request.url ?? '', Buffer.concat(chunks).toString())));
    });
  });
  const smtp = createTcp(takeMail);
  const [gatewayPort, smtpPort] = await Promise.all([listen(gateway), listen(smtp)]);
  return {
    gatewayUrl: `http://127.0.0.1:${gatewayPort}`,
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    close() {
      gateway.closeAllConnections();
      gateway.close();
      smtp.close();
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** SSLCommerz: a session whose address names our reference, and a proof that says it was paid. */
function answer(target: string, body: string): Record<string, unknown> {
  if (target.startsWith('/gwprocess/')) {
    const reference = new URLSearchParams(body).get('tran_id') ?? '';
    return {
      status: 'SUCCESS',
      sessionkey: reference,
      GatewayPageURL: `https://pay.example/${reference}`,
    };
  }
  const reference = new URL(target, 'http://gateway').searchParams.get('val_id') ?? '';
  return {
    APIConnect: 'DONE',
    status: 'VALID',
    tran_id: reference,
    amount: PRICE,
    currency: 'BDT',
    bank_tran_id: `BANK-${reference}`,
    risk_level: '0',
  };
}

/** Says yes to every command, and yes to every text. */
function takeMail(socket: Socket): void {
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.write('220 bench ready\r\n');
  let inText = false;
  let pending = '';
  socket.on('data', (chunk: Buffer) => {
    pending += chunk.toString('latin1');
    for (;;) {
      const mark = inText ? '\r\n.\r\n' : '\r\n';
      const at = pending.indexOf(mark);
      if (at < 0) return;
      const line = pending.slice(0, at);
      pending = pending.slice(at + mark.length);
      const isTextOver = inText;
      inText = !inText && /^DATA/i.test(line);
      socket.write(replyTo(line, { inText, isTextOver }));
      if (!isTextOver && /^QUIT/i.test(line)) socket.end();
    }
  });
}

function replyTo(line: string, { inText, isTextOver }: { inText: boolean; isTextOver: boolean }): string {
  if (isTextOver) return '250 accepted\r\n';
  if (inText) return '354 go ahead\r\n';
  return /^EHLO/i.test(line) ? '250-bench\r\n250 8BITMIME\r\n' : '250 ok\r\n';
}
