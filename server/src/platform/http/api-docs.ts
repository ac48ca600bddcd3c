import fastifyStatic from '@fastify/static';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

import { describeAnswers } from './describe-answers.ts';
import type { ApiDescription } from './describe-answers.ts';
import type { Endpoint } from './endpoint.ts';
import { mountEndpoints } from './mount.ts';
import type { MountOptions } from './mount.ts';

export interface Api {
  readonly title: string;
  readonly description: string;
  /** `/api/v1` or `/api/v1/admin`. */
  readonly prefix: string;
  readonly endpoints: readonly Endpoint[];
  /** Where its description is: `/openapi/client.json`. */
  readonly specPath: string;
  /** Where people read it: `/docs`. */
  readonly docsPath: string;
}

/** Mounts an API and serves its OpenAPI 3.1 description, made from the very schemas that validate. */
export function serveApi(app: FastifyInstance, api: Api, options: MountOptions & { version: string }): void {
  app.register(async (scope) => {
    await scope.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: { title: api.title, description: api.description, version: options.version },
        components: {
          securitySchemes: {
            'bearer-client': { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
            'bearer-admin': { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          },
        },
      },
      // The description's own address is no operation of the API.
      hideUntagged: true,
    });
    await scope.register(async (prefixed) => mountEndpoints(prefixed, api.endpoints, options), {
      prefix: api.prefix,
    });
    let description: string | undefined;
    scope.get(api.specPath, { schema: { hide: true } }, async (_request, reply) => {
      description ??= describe(scope.swagger() as ApiDescription, api);
      return reply.header('content-type', 'application/json; charset=utf-8').send(description);
    });
  });
  serveDocsPage(app, api);
}

/** A description that is made elsewhere, at an address of its own. */
export function serveDescription(app: FastifyInstance, path: string, json: string): void {
  app.get(path, { schema: { hide: true } }, async (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(json),
  );
}

function describe(description: ApiDescription, api: Api): string {
  describeAnswers(description, api);
  return JSON.stringify(description, null, 2);
}

function serveDocsPage(app: FastifyInstance, api: Api): void {
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${api.title}</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css"></head>
<body><div id="reference" data-spec="${api.specPath}"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script><script src="/docs/assets/open.js"></script></body></html>`;
  app.get(api.docsPath, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', DOCS_POLICY)
      .send(page),
  );
}

/** Nothing from any other host. The viewer styles itself inline and embeds its icons. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'";

const OPEN_SCRIPT = `const target = document.getElementById('reference');
SwaggerUIBundle({ url: target.dataset.spec, domNode: target, deepLinking: true, persistAuthorization: true, validatorUrl: null });
`;

/** The viewer's own files, once per listener. */
export function serveDocsAssets(app: FastifyInstance): void {
  const root = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  app.get('/docs/assets/open.js', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('content-type', 'text/javascript; charset=utf-8').send(OPEN_SCRIPT),
  );
  app.register(fastifyStatic, {
    root,
    prefix: '/docs/assets/',
    allowedPath: (path) => /^\/?swagger-ui(-bundle)?\.(js|css)$/.test(path),
    maxAge: '1d',
  });
}
