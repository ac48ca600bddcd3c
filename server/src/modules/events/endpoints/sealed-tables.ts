import type { SealedTable } from '../../../platform/reseal.ts';
import { webhookSecretContext } from './webhook-secret.ts';

/** The secrets that sign webhooks, for the rotation of keys. */
export const webhookSeals: readonly SealedTable[] = [
  {
    table: 'webhook_endpoints',
    key: ['id'],
    columns: ['secret_sealed', 'previous_secret_sealed'].map((name) => ({
      name,
      contextOf: ([id]) => webhookSecretContext(Number(id)),
    })),
  },
];
