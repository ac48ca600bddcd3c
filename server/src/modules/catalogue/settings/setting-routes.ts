import { Type } from 'typebox';
import type { Static } from 'typebox';

import { answer, endpoint } from '../../../platform/http/endpoint.ts';
import type { Endpoint } from '../../../platform/http/endpoint.ts';
import { pageOf, pageSchema } from '../../../platform/http/envelope.ts';
import type { ResourceDeps } from '../../../platform/resource/resource.ts';
import { changeSetting, settingEntityTag } from './change-setting.ts';
import { settingDefinitions, settingKeys } from './setting-definitions.ts';
import type { SettingKey } from './setting-definitions.ts';
import { listSettings } from './setting-store.ts';
import type { SettingRow } from './setting-store.ts';

const tag = 'Settings';

const settingSchema = Type.Object({
  key: Type.String(),
  value: Type.Unknown(),
  default: Type.Unknown(),
  schema: Type.Unknown({ description: 'JSON Schema of the value' }),
  description: Type.String(),
  is_public: Type.Boolean(),
  version: Type.Integer({ description: '0 while nobody has touched the default' }),
  updated_by: Type.Union([Type.Integer(), Type.Null()]),
  updated_at: Type.Union([Type.String(), Type.Null()]),
});

export function settingEndpoints(deps: ResourceDeps): Endpoint[] {
  return [listEndpoint(deps), changeEndpoint(deps)];
}

function listEndpoint(deps: ResourceDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/settings',
    access: { permission: 'settings:read' },
    tag,
    summary: 'Every setting with its type, its default and its value',
    data: pageSchema(settingSchema),
    async handle() {
      const stored = new Map((await listSettings(deps.db)).map((row) => [row.key, row]));
      const items = settingKeys.map((key) => settingToWire(key, stored.get(key)));
      return pageOf(items, { page: 1, limit: items.length, total: items.length });
    },
  });
}

function changeEndpoint(deps: ResourceDeps): Endpoint {
  return endpoint({
    method: 'PUT',
    path: '/settings/:key',
    access: { permission: 'settings:write' },
    tag,
    summary: 'Change one setting',
    description: 'With `If-Match: "<version>"` a setting that has changed meanwhile is 409 `StaleResource`.',
    params: Type.Object({ key: Type.String({ maxLength: 100 }) }),
    body: Type.Object({ value: Type.Unknown() }),
    data: settingSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    async handle(call) {
      const { key, row } = await changeSetting(deps, {
        key: call.params.key,
        value: call.body.value,
        writer: call,
      });
      return answer(settingToWire(key, row), { headers: { etag: settingEntityTag(row.version) } });
    },
  });
}

function settingToWire(key: SettingKey, row: SettingRow | undefined): Static<typeof settingSchema> {
  const { schema, fallback, isPublic, description } = settingDefinitions[key];
  return {
    key,
    value: row ? row.value : fallback,
    default: fallback,
    schema,
    description,
    is_public: isPublic,
    version: row?.version ?? 0,
    updated_by: row?.updated_by ?? null,
    updated_at: row?.updated_at.toISOString() ?? null,
  };
}
