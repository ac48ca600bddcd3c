import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

import { auditActor } from '../../../platform/audit.ts';
import { inTransaction } from '../../../platform/db/database.ts';
import { AppError, fieldError } from '../../../platform/errors.ts';
import { isSameEntity } from '../../../platform/http/kept-answers.ts';
import type { ResourceDeps } from '../../../platform/resource/resource.ts';
import type { Writer } from '../../../platform/resource/write-row.ts';
import { isSettingKey, settingDefinitions, settingKeys } from './setting-definitions.ts';
import type { SettingKey } from './setting-definitions.ts';
import { lockSetting, upsertSetting } from './setting-store.ts';
import type { SettingRow } from './setting-store.ts';

const ajv = new Ajv({ strict: false });
addFormats.default(ajv);
const checks = new Map<string, ValidateFunction>(
  settingKeys.map((key) => [key, ajv.compile(settingDefinitions[key].schema)]),
);

/** A default that nobody has touched is version 0. */
export const settingEntityTag = (version: number): string => `"${version}"`;

/**
 * @throws NOT_FOUND for a key that is none, VALIDATION_ERROR for a value that does not fit, CONFLICT when `If-Match`
 *   names an older version.
 */
export async function changeSetting(
  deps: ResourceDeps,
  change: { readonly key: string; readonly value: unknown; readonly writer: Writer },
): Promise<{ key: SettingKey; row: SettingRow }> {
  const { key, value, writer } = change;
  if (!isSettingKey(key)) throw new AppError('NOT_FOUND', `There is no setting ${key}`);
  const check = checks.get(key);
  if (check && !check(value))
    throw fieldError('value', `value ${check.errors?.[0]?.message ?? 'does not fit this setting'}`);
  const row = await inTransaction(deps.db, async (tx) => {
    const before = await lockSetting(tx, key);
    const wanted = writer.request.headers['if-match'];
    if (wanted !== undefined && !isSameEntity(wanted, settingEntityTag(before?.version ?? 0))) {
      throw new AppError('CONFLICT', 'The setting has changed since you read it: read it again', {
        data: { type: 'StaleResource' },
      });
    }
    const after = await upsertSetting(tx, { key, value, adminId: writer.caller.adminId });
    await deps.recordAudit(tx, {
      ...auditActor(writer),
      action: 'settings:update',
      resource: `setting:${key}`,
      before: { value: before ? before.value : settingDefinitions[key].fallback },
      after: { value },
    });
    return after;
  });
  deps.onChange();
  return { key, row };
}
