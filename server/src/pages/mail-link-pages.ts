import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'htm/preact';
import type { VNode } from 'preact';

import { BUTTON_STYLE, FIELD_STYLE, sendPage } from './page.ts';

/** A page that a mailed link leads to, and the operation of our API that its form stands for. */
interface LinkPage {
  readonly path: string;
  readonly operation: string;
  readonly title: string;
  readonly button: string;
  readonly done: string;
  readonly asksForPassword: boolean;
}

const verifyEmail: LinkPage = {
  path: '/account/verify-email',
  operation: '/api/v1/user/email/verify',
  title: 'Confirm your e-mail address',
  button: 'This address is mine',
  done: 'Your e-mail address is confirmed.',
  asksForPassword: false,
};

const resetPassword: LinkPage = {
  path: '/console/reset-password',
  operation: '/api/v1/admin/auth/reset-password',
  title: 'Set a new password',
  button: 'Set password',
  done: 'Your password is set, and every session of yours has ended. Sign in again.',
  asksForPassword: true,
};

/** Where the letter that confirms a customer's address leads. */
export function serveEmailVerification(app: FastifyInstance): void {
  serveLinkPage(app, verifyEmail);
}

/** Where the letter for an operator's new password leads: goes on the listener that has the operations API. */
export function servePasswordReset(app: FastifyInstance): void {
  serveLinkPage(app, resetPassword);
}

/** Opening a link uses nothing up (scanners of mail open links too): the form does, by the API with all its rules. */
function serveLinkPage(app: FastifyInstance, page: LinkPage): void {
  app.register(async (scope) => {
    scope.register(formbody, { bodyLimit: 4_096 });
    const options = { schema: { hide: true }, config: { access: 'anonymous' } } as const;
    scope.get(page.path, options, (request, reply) =>
      show(reply, page, { status: 200, content: form(page, tokenIn(request)) }),
    );
    scope.post(page.path, options, async (request, reply) => {
      const answer = await ask(app, page, request);
      if (answer.status < 400)
        return show(reply, page, { status: 200, content: html`<p role="status">${page.done}</p>` });
      const problem = html`<p role="alert"><strong>${answer.message}</strong></p>`;
      return show(reply, page, { status: answer.status, content: [problem, form(page, tokenIn(request))] });
    });
  });
}

async function ask(app: FastifyInstance, page: LinkPage, request: FastifyRequest) {
  const password = (request.body as { new_password?: unknown } | undefined)?.new_password;
  const reply = await app.inject({
    method: 'POST',
    url: page.operation,
    // For limits and the audit log it is the visitor who asks.
    remoteAddress: request.ip,
    headers: { 'user-agent': request.headers['user-agent'] },
    payload: {
      token: tokenIn(request),
      ...(page.asksForPassword ? { new_password: typeof password === 'string' ? password : '' } : {}),
    },
  });
  return { status: reply.statusCode, message: reply.json<{ message: string }>().message };
}

function show(
  reply: FastifyReply,
  { title }: LinkPage,
  { status, content }: { status: number; content: VNode | VNode[] },
): FastifyReply {
  return sendPage(reply, { status, language: 'en', title, children: content });
}

function form({ path, button, asksForPassword }: LinkPage, token: string): VNode {
  return html`<form action=${`${path}?token=${encodeURIComponent(token)}`} method="post">
    ${
      asksForPassword
        ? html`<label for="new_password">New password, at least 8 characters</label>
            <input
              id="new_password"
              name="new_password"
              type="password"
              style=${FIELD_STYLE}
              required
              minlength="8"
              maxlength="128"
              autocomplete="new-password"
            />`
        : null
    }
    <button style=${BUTTON_STYLE}>${button}</button>
  </form>`;
}

function tokenIn({ query }: FastifyRequest): string {
  const { token } = query as { token?: unknown };
  return typeof token === 'string' ? token.slice(0, 128) : '';
}
