import type { FastifyReply } from 'fastify';
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { render } from 'preact-render-to-string';

/** Nothing runs, nothing is loaded, nobody frames it; a form may only come back to us. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const STYLE =
  'font-family:system-ui,sans-serif;max-width:36rem;margin:12vh auto 4rem;padding:0 1rem;line-height:1.5;color-scheme:light dark';

/** Of what people fill in and press, on every page. */
export const FIELD_STYLE =
  'display:block;width:100%;box-sizing:border-box;font:inherit;padding:.6rem;margin:.2rem 0 1rem';
export const BUTTON_STYLE = 'font:inherit;font-weight:600;padding:.7rem 1.4rem';

export interface Page {
  readonly status: number;
  readonly language: 'en' | 'bn';
  readonly title: string;
  readonly children: ComponentChildren;
  /** Reloads by itself after so many seconds. */
  readonly refreshSeconds?: number;
}

/** Sends a page of ours: one file, no scripts, kept by nobody. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply
    .code(page.status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      vary: 'accept-language',
    })
    .send(`<!doctype html>${render(layout(page))}`);
}

function layout({ language, title, children, refreshSeconds }: Page): VNode {
  const refresh = refreshSeconds ? html`<meta http-equiv="refresh" content=${refreshSeconds} />` : null;
  return html`<html lang=${language}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${title}</title>
      ${refresh}
    </head>
    <body style=${STYLE}>
      <main>
        <h1>${title}</h1>
        ${children}
      </main>
    </body>
  </html>`;
}
