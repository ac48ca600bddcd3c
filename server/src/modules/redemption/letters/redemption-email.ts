import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';

export interface RedemptionLetter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface RedemptionLetterContent {
  readonly campaignName: string;
  readonly headline: string | null;
  readonly voucherCode: string;
  readonly instructions: string | null;
}

/** The letter that repeats what the redeem page showed: the voucher code as text, and how to use it. */
export function writeRedemptionEmail(content: RedemptionLetterContent): RedemptionLetter {
  const { campaignName, headline, voucherCode, instructions } = content;
  const paragraphs = [
    headline ?? `Thank you for taking part in ${campaignName}.`,
    `Your code: ${voucherCode}`,
    ...(instructions === null ? [] : [instructions]),
    KEEP,
  ];
  return {
    subject: `Your code from ${oneLine(campaignName)}`,
    text: paragraphs.join('\n\n'),
    html: `<!doctype html>${render(htmlOf(content) as VNode)}`,
  };
}

const KEEP = 'Keep this e-mail: whoever has the code can use it.';
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const codeStyle =
  'font-family:monospace;font-size:18px;font-weight:bold;letter-spacing:1px;padding:8px 0;display:block;word-break:break-all';

function htmlOf(content: RedemptionLetterContent): VNode | VNode[] {
  const { campaignName, headline, voucherCode, instructions } = content;
  return html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <meta name="color-scheme" content="light dark" />
      <title>${campaignName}</title>
    </head>
    <body style="margin:0;font-family:system-ui,sans-serif;line-height:1.45">
      <div style="max-width:600px;margin:0 auto;padding:16px">
        <h1 style="font-size:20px">${headline ?? campaignName}</h1>
        <p>Your code:</p>
        <code style=${codeStyle}>${voucherCode}</code>
        ${instructions === null ? null : html`<p style="white-space:pre-line">${instructions}</p>`}
        <p>${KEEP}</p>
      </div>
    </body>
  </html>`;
}
