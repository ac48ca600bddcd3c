/** A load generator that costs little: HTTP/1.1 over kept connections, one question at a time on each. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

export interface Reply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Connection {
  ask(question: Question): Promise<Reply>;
  close(): void;
}

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/** Answers are told apart by `content-length`, which every answer of ours has. */
export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.setNoDelay(true);
  let waiting: Waiting | undefined;
  readReplies(socket, (reply) => {
    const { resolve } = waiting ?? {};
    waiting = undefined;
    resolve?.(reply);
  });
  const fail = (): void => waiting?.reject(new Error('The server closed the connection'));
  socket.on('error', fail).on('close', fail);
  return {
    ask(question) {
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(textOf(question, host));
      });
    },
    close: () => socket.destroy(),
  };
}

function textOf({ method, path, headers = {}, body }: Question, host: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}${length}\r\n${body ?? ''}`;
}

function readReplies(socket: Socket, tell: (reply: Reply) => void): void {
  let pending: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const headEnd = pending.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = pending.toString('latin1', 0, headEnd);
    const end = headEnd + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (pending.length < end) return;
    const body = pending.toString('utf8', headEnd + 4, end);
    pending = pending.subarray(end);
    tell({ status: Number(head.slice(9, 12)), head, body });
  });
}

export interface Load {
  readonly url: string;
  readonly atOnce: number;
  readonly milliseconds: number;
  /** At most so many operations. */
  readonly most?: number;
}

/** Runs an operation over and over, `atOnce` at a time, until the time is over. @returns how many, and how long. */
export async function runLoad(
  load: Load,
  operation: (connection: Connection, n: number) => Promise<void>,
): Promise<{ count: number; seconds: number }> {
  const { url, atOnce, milliseconds, most = Number.POSITIVE_INFINITY } = load;
  const connections = await Promise.all(Array.from({ length: atOnce }, () => openConnection(url)));
  const start = performance.now();
  const end = start + milliseconds;
  let count = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < end && count < most) {
        const n = count;
        count += 1;
        await operation(connection, n);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  for (const connection of connections) connection.close();
  return { count, seconds };
}
