import { html } from 'htm/preact';
import type { VNode } from 'preact';

import { BUTTON_STYLE, FIELD_STYLE } from '../page.ts';
import type { Page } from '../page.ts';
import type { RedeemTexts } from './redeem-texts.ts';

const CODE =
  'display:block;font:600 1.5rem/1.4 ui-monospace,monospace;overflow-wrap:anywhere;user-select:all;padding:1rem;border:2px solid;border-radius:.5rem';

/** How a page is written. */
export interface Written {
  readonly texts: RedeemTexts;
  readonly language: Page['language'];
  /** By the address, which then says so on the next page too; not by the browser. */
  readonly isAsked: boolean;
}

export function redeemPath(token: string, { isAsked, language }: Written): string {
  return `/redeem/${encodeURIComponent(token)}${isAsked ? `?lang=${language}` : ''}`;
}

/** A form for a code that was not scanned. */
export function enterCodePage({ texts, language, isAsked }: Written): Page {
  return {
    status: 200,
    language,
    title: texts.enterTitle,
    children: html`<form action="/redeem" method="get">
      ${isAsked ? html`<input type="hidden" name="lang" value=${language} />` : null}
      <label for="code">${texts.code}</label>
      <input
        id="code"
        name="code"
        style=${FIELD_STYLE}
        required
        maxlength="200"
        autocomplete="off"
        autocapitalize="characters"
        spellcheck=${false}
        aria-describedby="hint"
      />
      <p id="hint">${texts.enterHint}</p>
      <button style=${BUTTON_STYLE}>${texts.next}</button>
    </form>`,
  };
}

export interface Offer extends Written {
  readonly status: number;
  readonly token: string;
  readonly title: string;
  readonly description: string | null;
  readonly callToAction: string | null;
  readonly isRedeemed: boolean;
  /** What was wrong with the form as it was sent. */
  readonly problem?: string;
  readonly given?: { readonly phone: string; readonly email: string };
}

/** What the code is good for, and the form that takes it. */
export function offerPage(offer: Offer): Page {
  const { texts, language, status, token, problem, isRedeemed } = offer;
  return {
    status,
    language,
    title: offer.title,
    children: html`
      ${paragraphs(offer.description)} ${isRedeemed ? html`<p>${texts.again}</p>` : null}
      ${problem ? html`<p role="alert"><strong>${problem}</strong></p>` : null}
      <form action=${redeemPath(token, offer)} method="post">
        <label for="phone">${texts.phone}</label>
        <input
          id="phone"
          name="phone"
          type="tel"
          style=${FIELD_STYLE}
          required
          maxlength="40"
          autocomplete="tel"
          value=${offer.given?.phone ?? ''}
        />
        <label for="email">${texts.email}</label>
        <input
          id="email"
          name="email"
          type="email"
          style=${FIELD_STYLE}
          maxlength="254"
          autocomplete="email"
          aria-describedby="hint"
          value=${offer.given?.email ?? ''}
        />
        <p id="hint">${texts.emailHint}</p>
        <button style=${BUTTON_STYLE}>
          ${isRedeemed ? texts.showAgain : (offer.callToAction ?? texts.redeem)}
        </button>
      </form>
    `,
  };
}

export interface Revealed extends Written {
  readonly voucherCode: string;
  readonly instructions: string | null;
  readonly email: string;
}

/** The only page that shows what a code gives. */
export function revealedPage({ texts, language, voucherCode, instructions, email }: Revealed): Page {
  return {
    status: 200,
    language,
    title: texts.doneTitle,
    children: html`<output style=${CODE}>${voucherCode}</output>
      ${paragraphs(instructions)}
      <p>${texts.keepIt}</p>
      ${email ? html`<p>${texts.sentTo(email)}</p>` : null}`,
  };
}

export function refusedPage(refused: Written & { status: number; message: string; title?: string }): Page {
  const { texts, language, status, message, title } = refused;
  return {
    status,
    language,
    title: title ?? texts.refusedTitle,
    children: html`<p role="alert">${message}</p>
      <p><a href="/redeem">${texts.anotherCode}</a></p>`,
  };
}

function paragraphs(text: string | null): VNode | null {
  return text ? html`<p style="white-space:pre-line">${text}</p>` : null;
}
