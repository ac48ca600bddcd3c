import type { Database } from '../../platform/db/database.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import { secondsAfter } from '../../platform/time.ts';
import type { Clock } from '../../platform/time.ts';
import { deleteCountersOver } from './guessing/guess-store.ts';
import { deleteLinksOver } from './mail-links/mail-link-store.ts';
import { deleteMfaChallengesOver } from './mfa/mfa-store.ts';
import { deleteOtpsBefore } from './otp/otp-store.ts';
import { deleteSessionsOver } from './tokens/session-store.ts';

const DAY_SECONDS = 86_400;
/** The day's SMS budget looks back 24 hours; the rest is for whoever looks into an attack. */
const KEEP_OTPS_SECONDS = 7 * DAY_SECONDS;
/** Longer than any access token lives, so that every process has seen the end; the rest is for support. */
const KEEP_ENDED_SESSIONS_SECONDS = 30 * DAY_SECONDS;

/** Deletes what has run out: it is about people, and grows with every sign-in. */
export function identitySweeps({ db, clock }: { db: Database; clock: Clock }): Sweep[] {
  return [
    {
      name: 'identity-tidy',
      everySeconds: 600,
      async run() {
        const now = clock.now();
        await deleteSessionsOver(db, secondsAfter(now, -KEEP_ENDED_SESSIONS_SECONDS));
        await deleteOtpsBefore(db, secondsAfter(now, -KEEP_OTPS_SECONDS));
        await deleteCountersOver(db, now);
        await deleteMfaChallengesOver(db, now);
        await deleteLinksOver(db, secondsAfter(now, -DAY_SECONDS));
      },
    },
  ];
}
