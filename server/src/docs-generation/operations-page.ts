import type { Access, Endpoint } from '../platform/http/endpoint.ts';
import { byText, code, page, table } from './markdown.ts';

export interface EndpointLists {
  readonly client: readonly Endpoint[];
  readonly admin: readonly Endpoint[];
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function operationsPage(endpoints: EndpointLists): string {
  return page(
    'Operations',
    'Every operation, with who may call it. Requests and answers in full: `openapi/client.json` and ' +
      '`openapi/admin.json` beside this file, or `/docs` and `/docs/admin` of a running service.',
    ...chapter('Client API', '/api/v1', endpoints.client),
    ...chapter('Operations API', '/api/v1/admin', endpoints.admin),
  );
}

function chapter(title: string, prefix: string, endpoints: readonly Endpoint[]): string[] {
  const byTag = Map.groupBy(endpoints, ({ tag }) => tag);
  const groups = [...byTag].toSorted(byText(([tag]) => tag));
  return [
    `## ${title}: ${endpoints.length} operations below ${code(prefix)}`,
    ...groups.flatMap(([tag, group]) => [`### ${tag}`, operations(group)]),
  ];
}

function operations(endpoints: readonly Endpoint[]): string {
  const sortable = ({ path, method }: Endpoint): string => `${path} ${METHODS.indexOf(method)}`;
  return table(
    ['Method', 'Path', 'Who', 'What'],
    endpoints
      .toSorted(byText(sortable))
      .map(({ method, path, access, summary }) => [method, code(path), who(access), summary]),
  );
}

function who(access: Access): string {
  switch (access) {
    case 'anonymous':
      return 'anyone';
    case 'callback':
      return 'gateways';
    case 'client':
      return 'customer';
    case 'client_optional':
      return 'anyone, or customer';
    default:
      return code(access.permission);
  }
}
