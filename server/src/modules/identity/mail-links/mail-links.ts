import { createHash } from 'node:crypto';

import { inTransaction } from '../../../platform/db/database.ts';
import type { Database } from '../../../platform/db/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Random } from '../../../platform/random.ts';
import { secondsAfter } from '../../../platform/time.ts';
import type { Clock } from '../../../platform/time.ts';
import { countRecentLinks, insertLink } from './mail-link-store.ts';
import type { LinkPurpose } from './mail-link-store.ts';

export interface MailLetter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface MailLinkDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** Where browsers reach the pages, without a trailing slash. */
  readonly publicUrl: string;
  /** Resolves when the mail server has the letter; never called inside a transaction. */
  sendMail(letter: MailLetter): Promise<void>;
}

const LINKS_AN_HOUR = 5;
const HOUR_SECONDS = 3_600;

export interface LinkRequest {
  readonly purpose: LinkPurpose;
  readonly userId: number | null;
  readonly adminId: number | null;
  readonly email: string;
  readonly lifeSeconds: number;
}

/**
 * Stores a link of 256 random bits, of which only the digest is kept.
 * @returns its token. @throws AppError TOO_MANY_REQUESTS after five in an hour for one account.
 */
export async function createLink(deps: MailLinkDeps, request: LinkRequest): Promise<string> {
  const now = deps.clock.now();
  const token = deps.random.bytes(32).toString('base64url');
  const { lifeSeconds, ...link } = request;
  await inTransaction(deps.db, async (tx) => {
    const { sent, oldest } = await countRecentLinks(tx, request, secondsAfter(now, -HOUR_SECONDS));
    if (sent >= LINKS_AN_HOUR) {
      const elapsedSeconds = Math.floor((now.getTime() - (oldest ?? now).getTime()) / 1000);
      throw new AppError('TOO_MANY_REQUESTS', 'Too many e-mails were asked for: look for the last one', {
        retryAfterSeconds: Math.max(1, HOUR_SECONDS - elapsedSeconds),
      });
    }
    await insertLink(tx, {
      ...link,
      digest: linkDigest(token),
      now,
      expiresAt: secondsAfter(now, lifeSeconds),
    });
  });
  return token;
}

export function linkDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** A letter with one link in it. Nothing a stranger wrote goes into it, so there is nothing to escape but the link. */
export function linkLetter(letter: { to: string; subject: string; words: string; url: string }): MailLetter {
  const { to, subject, words, url } = letter;
  const href = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return {
    to,
    subject,
    text: `${words}\n\n${url}\n\nIf you did not ask for this, ignore it.\n`,
    html: `<p>${words}</p><p><a href="${href}">${href}</a></p><p>If you did not ask for this, ignore it.</p>`,
  };
}
