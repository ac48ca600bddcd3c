import { html } from 'htm/preact';
import type { CheckoutView } from '../gateways/gateway.ts';
import { renderPage } from './page.ts';

/** The hosted checkout page of any gateway: pay, decline or cancel. */
export function checkoutPage({ vendor, view }: { vendor: string; view: CheckoutView }): string {
  const ended = view.outcome !== undefined;
  const body = html`
    <div class="card">
      <p class="amount">${view.currency} ${view.amount}</p>
      <dl>
        <dt>To</dt>
        <dd>${view.merchant}</dd>
        <dt>For</dt>
        <dd>${view.description}</dd>
        <dt>Reference</dt>
        <dd><code>${view.reference}</code></dd>
      </dl>
      ${ended ? html`<p>This payment has ended: <b>${view.outcome}</b>.</p>` : null}
      <form method="post">
        ${
          ended
            ? html`<button class="go" name="outcome" value=${view.outcome}>Return to the shop</button>`
            : html`
                <button class="go" name="outcome" value="success">Pay</button>
                <button class="stop" name="outcome" value="failure">Decline</button>
                <button name="outcome" value="cancel">Cancel</button>
              `
        }
      </form>
    </div>
    <p class="quiet">A stand-in for the ${vendor} checkout page. No real money moves here.</p>
  `;
  return renderPage({ title: `${vendor} checkout`, body, bare: true });
}

/** Hands the person's browser back to the shop with a form post, as SSLCommerz does. */
export function handOverPage({
  action,
  fields,
}: {
  action: string;
  fields: Readonly<Record<string, string>>;
}): string {
  const body = html`
    <form method="post" action=${action}>
      ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
      <button class="go">Return to the shop</button>
    </form>
    <script dangerouslySetInnerHTML=${{ __html: 'document.forms[0].submit()' }}></script>
  `;
  return renderPage({ title: 'Taking you back to the shop', body, bare: true });
}

export function noCallbackPage(fault: string | undefined): string {
  const body = html`<p>
    Your choice is kept, but the shop was not told (${fault ?? 'it gave no address to return to'}).
  </p>`;
  return renderPage({ title: 'The connection was lost', body, bare: true });
}

export function brokenCheckoutPage(): string {
  const body = html`<p>There is no payment behind this address.</p>`;
  return renderPage({ title: 'Unknown payment', body, bare: true });
}
