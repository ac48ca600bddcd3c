import { html } from 'htm/preact';
import type { ArmedFault } from '../faults/fault-box.ts';
import { CALLS, TARGETS, faultsFor } from '../faults/fault-catalogue.ts';
import { renderPage } from './page.ts';

export interface Home {
  vendors: readonly string[];
  armed: readonly ArmedFault[];
  /** Why the last form could not be done. */
  refusal?: string | undefined;
}

const FAULTS = [...new Set(TARGETS.flatMap(faultsFor))];

const option = (value: string) => html`<option value=${value}>${value}</option>`;

export function homePage({ vendors, armed, refusal }: Home): string {
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
    <h2>Break something</h2>
    ${refusal === undefined ? null : html`<p role="alert">${refusal}</p>`}
    ${
      faults.length === 0
        ? html`<p class="quiet">No fault is armed.</p>`
        : html`<ul>
            ${faults}
          </ul>`
    }
    <form method="post" action="/faults" class="card">
      <label
        >Whom
        <select name="target">
          ${TARGETS.map(option)}
        </select></label
      >
      <label
        >Fault
        <select name="fault">
          ${FAULTS.map(option)}
        </select></label
      >
      <label>Times <input name="times" type="number" min="0" value="1" /></label>
      <label
        >Only this call
        <select name="call">
          <option value="">any it meets</option>
          ${CALLS.map(option)}
        </select></label
      >
      <button class="go">Arm it</button>
    </form>
    <p class="quiet">Times 0 clears a fault. What can meet whom:</p>
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
