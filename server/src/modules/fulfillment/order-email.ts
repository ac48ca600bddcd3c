import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';

import type { OrderItemRow, OrderRow } from '../orders/index.ts';
import type { PlainVoucher } from '../vouchers/index.ts';

export interface OrderEmail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface Content {
  readonly order: OrderRow;
  readonly items: readonly OrderItemRow[];
  readonly vouchers: readonly PlainVoucher[];
}

/** One letter with every code of the order, each labelled by product and variant, as text and as HTML. */
export function writeOrderEmail(content: Content): OrderEmail {
  const { order, vouchers } = content;
  const what = vouchers.length === 0 ? 'Your order is complete' : `Your ${plural(vouchers.length)}`;
  return {
    subject: `${what} - order ${order.order_number}`,
    text: writeText(content),
    html: `<!doctype html>${render(htmlOf(content) as VNode)}`,
  };
}

const plural = (count: number): string => (count === 1 ? 'code' : `${count} codes`);

interface Section {
  readonly title: string;
  readonly recipient: string;
  readonly codes: readonly { readonly heading: string; readonly voucher: PlainVoucher }[];
}

function sectionsOf({ items, vouchers }: Content): Section[] {
  return items.map((item) => {
    const own = vouchers.filter((voucher) => voucher.orderItemId === item.id);
    const title = `${item.product_name} - ${item.variant_name}`;
    return {
      title: item.quantity > 1 ? `${title} × ${item.quantity}` : title,
      recipient: Object.entries(item.fulfillment_input)
        .map(([name, value]) => `${name}: ${value}`)
        .join(', '),
      codes: own.map((voucher, index) => ({
        heading: own.length > 1 ? `${title} (${index + 1} of ${own.length})` : title,
        voucher,
      })),
    };
  });
}

/** YYYY-MM-DD as the customer's calendar has it. */
const dhakaDay = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Dhaka' });

function extrasOf(voucher: PlainVoucher): { label: string; value: string }[] {
  return [
    { label: 'PIN', value: voucher.pin },
    { label: 'Serial number', value: voucher.serialNumber },
    { label: 'Redeem at', value: voucher.redemptionUrl },
    { label: 'Valid until', value: voucher.expiresAt && dhakaDay.format(voucher.expiresAt) },
  ].flatMap(({ label, value }) => (value === null ? [] : [{ label, value }]));
}

function writeText(content: Content): string {
  const sections = sectionsOf(content).map((section) => {
    if (section.codes.length === 0) return `${section.title}\n  Credited to ${section.recipient}`;
    return section.codes
      .map(({ heading, voucher }) =>
        [
          heading,
          `  Code: ${voucher.code}`,
          ...extrasOf(voucher).map(({ label, value }) => `  ${label}: ${value}`),
        ].join('\n'),
      )
      .join('\n\n');
  });
  return [
    `Thank you. This is order ${content.order.order_number}.`,
    ...sections,
    'Keep this e-mail: whoever has a code can use it.\nQuestions? Write to us and name the order number.',
  ].join('\n\n');
}

type Markup = VNode | VNode[];

const codeStyle =
  'font-family:monospace;font-size:18px;font-weight:bold;letter-spacing:1px;padding:8px 0;display:block;word-break:break-all';

function htmlOf(content: Content): Markup {
  return html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <meta name="color-scheme" content="light dark" />
      <title>Order ${content.order.order_number}</title>
    </head>
    <body style="margin:0;font-family:system-ui,sans-serif;line-height:1.45">
      <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
        <tr>
          <td align="center">
            <table
              role="presentation"
              width="100%"
              style="max-width:600px;padding:16px"
              cellpadding="0"
              cellspacing="0"
            >
              <tr>
                <td>
                  <h1 style="font-size:20px">Order ${content.order.order_number}</h1>
                  <p>Thank you for your order.</p>
                </td>
              </tr>
              ${sectionsOf(content).map(sectionHtml)}
              <tr>
                <td>
                  <p>Keep this e-mail: whoever has a code can use it.</p>
                  <p>Questions? Write to us and name the order number.</p>
                </td>
              </tr>
            </table>
          </td>
        </tr>
      </table>
    </body>
  </html>`;
}

function sectionHtml(section: Section): Markup {
  if (section.codes.length === 0) {
    return html`<tr>
      <td>
        <h2 style="font-size:16px">${section.title}</h2>
        <p>Credited to ${section.recipient}</p>
      </td>
    </tr>`;
  }
  return section.codes.map(
    ({ heading, voucher }) =>
      html`<tr>
        <td style="padding:12px 0;border-top:1px solid #bbb">
          <h2 style="font-size:16px;margin:0">${heading}</h2>
          <code style=${codeStyle}>${voucher.code}</code>
          ${extrasOf(voucher).map(({ label, value }) => html`<div>${label}: ${linkOrText(value)}</div>`)}
        </td>
      </tr>`,
  );
}

/** Only an https address becomes a link: a partner's text must not become a script. */
function linkOrText(value: string): Markup | string {
  return /^https:\/\/[^\s"<>]+$/.test(value)
    ? html`<a href=${value} rel="noopener noreferrer">${value}</a>`
    : value;
}
