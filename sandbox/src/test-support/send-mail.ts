import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * Speaks SMTP line by line and resolves with the last thing the server said,
 * or `undefined` when it hung up without answering the message.
 */
export async function sendMail(
  smtpUrl: string,
  mail: { to: string; message: string },
): Promise<string | undefined> {
  const { hostname, port } = new URL(smtpUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const commands = [
    'HELO tester',
    'MAIL FROM:<shop@example.com>',
    `RCPT TO:<${mail.to}>`,
    'DATA',
    `${mail.message}\r\n.`,
  ];
  await once(socket, 'connect');
  await lines.next();
  let answer: string | undefined;
  for (const command of commands) {
    socket.write(`${command}\r\n`);
    const { value, done } = await lines.next();
    answer = done === true ? undefined : value;
  }
  socket.destroy();
  return answer;
}
