import { errorCatalogue } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import { errorEnvelopeSchema } from './envelope.ts';
import { errorsOf } from './mount.ts';

/** The part of an OpenAPI 3.1 description that is put right here. */
export interface ApiDescription {
  paths?: Record<string, PathDescription | undefined>;
  components?: { schemas?: Record<string, unknown> };
}

type PathDescription = Record<string, { responses?: Record<string, unknown> } | undefined>;

/**
 * Says in words what each status of an operation means, by the codes it can answer, and writes the shape of errors
 * once instead of some ten times for every operation.
 */
export function describeAnswers(
  description: ApiDescription,
  api: { readonly prefix: string; readonly endpoints: readonly Endpoint[] },
): void {
  for (const endpoint of api.endpoints) {
    const path = `${api.prefix}${endpoint.path}`.replaceAll(/:(\w+)/g, '{$1}');
    const responses = description.paths?.[path]?.[endpoint.method.toLowerCase()]?.responses;
    if (!responses) throw new Error(`${endpoint.method} ${path} is missing in the API description`);
    const success = endpoint.status ?? 200;
    Object.assign(responses[success] as object, { description: success === 201 ? 'Created' : 'Done' });
    for (const [status, meaning] of meaningsOf(endpoint)) responses[status] = errorAnswer(meaning);
  }
  description.components = {
    ...description.components,
    schemas: { ...description.components?.schemas, Error: errorEnvelopeSchema },
  };
}

/** Status → the codes it can come with and what they mean. */
function meaningsOf(endpoint: Endpoint): Map<number, string> {
  const byStatus = Map.groupBy(errorsOf(endpoint), (code) => errorCatalogue[code].status);
  return new Map(
    [...byStatus].map(([status, codes]) => [
      status,
      codes.map((code) => `\`${code}\`: ${errorCatalogue[code].meaning}`).join(' '),
    ]),
  );
}

function errorAnswer(description: string): unknown {
  return {
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}
