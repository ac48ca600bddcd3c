import { html } from 'htm/preact';
import type { ArmedFault } from '../faults/fault-box.ts';
import { TARGETS, faultsFor } from '../faults/fault-catalogue.ts';
import { renderPage } from './page.ts';

export function homePage({
  vendors,
  armed,
}: {
  vendors: readonly string[];
  armed: readonly ArmedFault[];
}): string {
  const faults = armed.map(
    (row) =>
      html`<li>
        <code>${row.target}</code>: <code>${row.fault}</code> ${row.call ?? ''} (${row.times} more)
      </li>`,
  );
  const body = html`
    <p>
      Stand-ins for the world outside: ${vendors.join(', ')}, voucher partners, a mail server and an SMS
      gateway.
    </p>
    <ul class="list">
      <li><a href="/inbox">Mail inbox</a></li>
      <li><a href="/sms">SMS inbox</a></li>
      <li><a href="/_control/ledger?limit=100">Ledger</a>: what was asked, what was answered</li>
      <li><a href="/_control/faults">Armed faults</a></li>
      <li><a href="/_control/credentials">Demo credentials</a></li>
    </ul>
    <h2>Armed faults</h2>
    ${
      faults.length === 0
        ? html`<p class="quiet">None.</p>`
        : html`<ul>
            ${faults}
          </ul>`
    }
    <h2>Faults you can arm</h2>
    <p>
      <code>POST /_control/faults</code> with <code>target</code>, <code>fault</code>, <code>times</code>, and
      optionally <code>call</code>.
    </p>
    <dl>
      ${TARGETS.map(
        (target) =>
          html`<dt><code>${target}</code></dt>
            <dd>${faultsFor(target).join(', ')}</dd>`,
      )}
    </dl>
  `;
  return renderPage({ title: 'Sandbox', body });
}
