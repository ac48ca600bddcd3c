import type { Random } from '../../../platform/random.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import type { WebhookEndpointRow } from './endpoint-store.ts';

const SECRET_BYTES = 32;
/** Both secrets sign for so long after a rotation. */
export const PREVIOUS_SECRET_SECONDS = 24 * 3600;

export const makeWebhookSecret = (random: Random): string =>
  `whsec_${random.bytes(SECRET_BYTES).toString('base64')}`;

export const webhookSecretContext = (endpointId: number): string => `webhook_endpoints.secret:${endpointId}`;

export const sealWebhookSecret = (box: SecretBox, endpointId: number, secret: string): Buffer =>
  box.seal(secret, webhookSecretContext(endpointId));

type Sealed = Pick<
  WebhookEndpointRow,
  'id' | 'secret_sealed' | 'previous_secret_sealed' | 'previous_secret_until'
>;

/** The secrets that sign now, the newest first. */
export function signingSecrets(box: SecretBox, endpoint: Sealed, now: Date): string[] {
  const {
    id,
    secret_sealed: current,
    previous_secret_sealed: previous,
    previous_secret_until: until,
  } = endpoint;
  const isValid = previous !== null && until !== null && until > now;
  return [current, ...(isValid ? [previous] : [])].map((sealed) =>
    box.open(sealed, webhookSecretContext(id)),
  );
}
