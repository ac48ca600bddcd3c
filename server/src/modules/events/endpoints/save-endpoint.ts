import type { AuditActor, RecordAudit } from '../../../platform/audit.ts';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { fieldError } from '../../../platform/errors.ts';
import type { Random } from '../../../platform/random.ts';
import type { SecretBox } from '../../../platform/secret-box.ts';
import type { Clock } from '../../../platform/time.ts';
import { secondsAfter } from '../../../platform/time.ts';
import {
  deleteEndpointRow,
  insertEndpoint,
  lockEndpoint,
  rotateEndpointSecret,
  takeEndpointId,
  updateEndpointRow,
} from './endpoint-store.ts';
import type { WebhookEndpointRow } from './endpoint-store.ts';
import { auditedEndpoint } from './endpoint-wire.ts';
import { endpointNotFound } from './errors.ts';
import { makeWebhookSecret, PREVIOUS_SECRET_SECONDS, sealWebhookSecret } from './webhook-secret.ts';
import { problemWithUrl } from './webhook-url-rules.ts';

export interface SaveEndpointDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly box: SecretBox;
  readonly recordAudit: RecordAudit;
  /** Private addresses and plain HTTP: for development only. */
  readonly allowPrivate: boolean;
  /** Where a URL's name leads, checked. @returns what is wrong with it, if anything. */
  readonly problemWithAddress: (url: string) => Promise<string | undefined>;
  /** An endpoint is active again: its alert is over. */
  readonly resolveDisabled: (tx: Tx, endpointId: number) => Promise<void>;
}

export interface EndpointInput {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
}

async function checkUrl(deps: SaveEndpointDeps, url: string): Promise<void> {
  const problem = problemWithUrl(url, deps) ?? (await deps.problemWithAddress(url));
  if (problem) throw fieldError('url', problem);
}

const resourceOf = (id: number): string => `webhook:${id}`;

/** @returns the secret too, which nothing shows again. @throws VALIDATION_ERROR for the URL. */
export async function createEndpoint(
  deps: SaveEndpointDeps,
  { actor, ...input }: EndpointInput & { actor: AuditActor },
): Promise<{ row: WebhookEndpointRow; secret: string }> {
  await checkUrl(deps, input.url);
  const secret = makeWebhookSecret(deps.random);
  const row = await inTransaction(deps.db, async (tx) => {
    const id = await takeEndpointId(tx);
    const sealed = sealWebhookSecret(deps.box, id, secret);
    const created = await insertEndpoint(tx, {
      id,
      ...input,
      secret_sealed: sealed,
      created_by: actor.adminId,
    });
    const after = auditedEndpoint(created);
    await deps.recordAudit(tx, { ...actor, action: 'webhooks:create', resource: resourceOf(id), after });
    return created;
  });
  return { row, secret };
}

/** What is left out stays as it is. @throws NOT_FOUND; VALIDATION_ERROR for the URL. */
export async function updateEndpoint(
  deps: SaveEndpointDeps,
  change: { id: number; input: Partial<EndpointInput>; isActive: boolean | undefined; actor: AuditActor },
): Promise<WebhookEndpointRow> {
  const { id, input, isActive, actor } = change;
  if (input.url !== undefined) await checkUrl(deps, input.url);
  return inTransaction(deps.db, async (tx) => {
    const before = await lockEndpoint(tx, id);
    if (!before) throw endpointNotFound();
    const wanted = isActive ?? before.status === 'active';
    const changed = await updateEndpointRow(tx, {
      ...before,
      ...input,
      status: wanted ? 'active' : 'disabled',
      disabled_reason: wanted ? null : (before.disabled_reason ?? 'operator'),
    });
    if (!changed) throw endpointNotFound();
    if (wanted && before.status === 'disabled') await deps.resolveDisabled(tx, id);
    await deps.recordAudit(tx, {
      ...actor,
      action: 'webhooks:update',
      resource: resourceOf(id),
      before: auditedEndpoint(before),
      after: auditedEndpoint(changed),
    });
    return changed;
  });
}

/** @throws NOT_FOUND */
export async function deleteEndpoint(
  deps: SaveEndpointDeps,
  { id, actor }: { id: number; actor: AuditActor },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const before = await lockEndpoint(tx, id);
    if (!before || (await deleteEndpointRow(tx, id)) === 0) throw endpointNotFound();
    await deps.resolveDisabled(tx, id);
    const entry = { ...actor, action: 'webhooks:delete', resource: resourceOf(id) };
    await deps.recordAudit(tx, { ...entry, before: auditedEndpoint(before) });
  });
}

/** A new secret; the one before signs too for 24 hours. @throws NOT_FOUND */
export async function rotateSecret(
  deps: SaveEndpointDeps,
  { id, actor }: { id: number; actor: AuditActor },
): Promise<{ row: WebhookEndpointRow; secret: string }> {
  const secret = makeWebhookSecret(deps.random);
  const sealed = sealWebhookSecret(deps.box, id, secret);
  const previousUntil = secondsAfter(deps.clock.now(), PREVIOUS_SECRET_SECONDS);
  const row = await inTransaction(deps.db, async (tx) => {
    const rotated = await rotateEndpointSecret(tx, { id, sealed, previousUntil });
    if (!rotated) throw endpointNotFound();
    const after = { previous_secret_until: previousUntil.toISOString() };
    await deps.recordAudit(tx, {
      ...actor,
      action: 'webhooks:rotate-secret',
      resource: resourceOf(id),
      after,
    });
    return rotated;
  });
  return { row, secret };
}
