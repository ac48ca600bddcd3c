import { defineJob } from '../../../platform/jobs/queue.ts';

/** Send, or send again, the letter with a redeemed voucher code. */
export const sendRedemptionEmailJob = defineJob<{ messageId: number }>('send_redemption_email');
