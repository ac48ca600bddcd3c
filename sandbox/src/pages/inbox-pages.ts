import { html } from 'htm/preact';
import type { StoredMail } from '../mail/mailbox.ts';
import type { Sms } from '../sms/sms-gateway.ts';
import { renderPage } from './page.ts';

export function inboxPage(mails: readonly StoredMail[]): string {
  const rows = mails.toReversed().map(
    (mail) => html`
      <li>
        <a href=${`/inbox/${mail.id}`}>${mail.subject || '(no subject)'}</a>
        <div class="quiet">to ${mail.to}, ${mail.receivedAt}</div>
      </li>
    `,
  );
  const body =
    mails.length === 0
      ? html`<p>No mail yet.</p>`
      : html`<ul class="list">
          ${rows}
        </ul>`;
  return renderPage({ title: 'Mail', body });
}

/** One message. Its HTML is shown in a frame that runs no script and reaches nothing. */
export function mailPage(mail: StoredMail): string {
  const document = `<base target="_blank">${mail.html}`;
  const body = html`
    <dl>
      <dt>To</dt>
      <dd>${mail.to}</dd>
      <dt>From</dt>
      <dd>${mail.from}</dd>
      <dt>Received</dt>
      <dd>${mail.receivedAt}</dd>
      <dt>Message-ID</dt>
      <dd><code>${mail.messageId}</code></dd>
    </dl>
    ${mail.html === '' ? null : html`<iframe title="Message" sandbox="allow-popups" srcdoc=${document}></iframe>`}
    <h2>Text</h2>
    <pre>${mail.text}</pre>
  `;
  return renderPage({ title: mail.subject || '(no subject)', body });
}

export function mailNotFoundPage(): string {
  return renderPage({ title: 'No such message', body: html`<p><a href="/inbox">All mail</a></p>` });
}

export function smsPage(messages: readonly Sms[]): string {
  const rows = messages.toReversed().map(
    (sms) => html`
      <li>
        <b>${sms.to}</b>
        <div>${sms.text}</div>
        <div class="quiet">${sms.receivedAt}</div>
      </li>
    `,
  );
  const body =
    messages.length === 0
      ? html`<p>No SMS yet.</p>`
      : html`<ul class="list">
          ${rows}
        </ul>`;
  return renderPage({ title: 'SMS', body });
}
