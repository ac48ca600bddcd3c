import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #3a4150); --soft: light-dark(#f4f6f9, #1c212b); --ink: light-dark(#16202e, #e8ecf2); --quiet: light-dark(#566173, #a3adbd); --go: #0b6b3a; --stop: #a3212b; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 46rem; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: light-dark(#fff, #12161d); }
h1 { font-size: 1.4rem; margin: .5rem 0 1rem; } h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
a { color: light-dark(#0b4f9e, #8ab8ff); } nav a { margin-right: 1rem; } p.quiet, .quiet { color: var(--quiet); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 1rem 0; } dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
.card { border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; background: var(--soft); margin: 1rem 0; }
.amount { font-size: 2rem; font-weight: 700; margin: 0; }
button { font: inherit; font-weight: 600; width: 100%; min-height: 48px; margin: .375rem 0; border: 1px solid var(--line); border-radius: .5rem; background: transparent; color: inherit; cursor: pointer; }
button.go { background: var(--go); border-color: var(--go); color: #fff; } button.stop { background: var(--stop); border-color: var(--stop); color: #fff; }
label { display: block; margin: .5rem 0; color: var(--quiet); } select, input:not([type=hidden]) { font: inherit; display: block; width: 100%; min-height: 44px; padding: 0 .5rem; color: inherit; background: light-dark(#fff, #12161d); border: 1px solid var(--line); border-radius: .5rem; }
ul.list { list-style: none; padding: 0; } ul.list li { border-bottom: 1px solid var(--line); padding: .625rem 0; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; }
code { overflow-wrap: anywhere; } iframe { width: 100%; height: 32rem; border: 1px solid var(--line); border-radius: .5rem; background: #fff; }
`;

export interface Page {
  title: string;
  body: ComponentChildren;
  /** Leaves out the way back to the other sandbox pages. */
  bare?: boolean;
}

/** A whole page, no request leaves it. */
export function renderPage({ title, body, bare = false }: Page): string {
  const navigation = html`<nav><a href="/">Sandbox</a><a href="/inbox">Mail</a><a href="/sms">SMS</a></nav>`;
  const page: VNode = html`
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <style dangerouslySetInnerHTML=${{ __html: STYLE }}></style>
      </head>
      <body>
        ${bare ? null : navigation}
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>
  `;
  return `<!doctype html>${renderToString(page)}`;
}
