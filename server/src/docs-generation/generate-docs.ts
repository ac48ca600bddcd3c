import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { FastifyInstance } from 'fastify';

import type { App } from '../app.ts';
import type { Reader } from '../platform/db/database.ts';
import { readMigrations } from '../platform/db/migrate.ts';
import { configurationPage } from './configuration-page.ts';
import { errorsPage } from './errors-page.ts';
import { eventsPage } from './events-page.ts';
import { jobsPage } from './jobs-page.ts';
import { code, page, table } from './markdown.ts';
import type { GeneratedFile } from './markdown.ts';
import { modulesPage, withModulesDrawing } from './modules-page.ts';
import { operationsPage } from './operations-page.ts';
import { readSchema, schemaPage } from './schema-page.ts';
import { readSourceTexts } from './source-texts.ts';
import { findStateMachines, statesPage } from './states-page.ts';

export const GENERATED_FOLDER = 'docs/generated';

export interface DocsSources {
  /** The project's folder. */
  readonly root: string;
  /** The service with everything configured: what is not there is not described. */
  readonly app: App;
  /** A database with all migrations applied. */
  readonly db: Reader;
}

/** Everything that is written out of the program itself. The same program gives the same bytes, anywhere. */
export async function generateDocs({ root, app, db }: DocsSources): Promise<GeneratedFile[]> {
  const [sources, migrations, architecture] = await Promise.all([
    readSourceTexts(root, 'server/src'),
    readMigrations(join(root, 'server/migrations')),
    readFile(join(root, 'ARCHITECTURE.md'), 'utf8'),
  ]);
  const tables = await readSchema(db, migrations);
  const pages: Readonly<Record<string, string>> = {
    'configuration.md': configurationPage(),
    'errors.md': errorsPage(sources),
    'events.md': eventsPage(sources),
    'jobs.md': jobsPage(sources, app),
    'modules.md': modulesPage(root, tables),
    'openapi/admin.json': await describeApi(app.admin ?? app.client, '/openapi/admin.json'),
    'openapi/client.json': await describeApi(app.client, '/openapi/client.json'),
    'openapi/events.json': await describeApi(app.client, '/openapi/events.json'),
    'operations.md': operationsPage(app.endpoints),
    'schema.md': schemaPage(tables),
    'states.md': statesPage(await findStateMachines(root, sources)),
  };
  return [
    ...Object.entries(pages).map(([name, text]) => ({ path: `${GENERATED_FOLDER}/${name}`, text })),
    { path: `${GENERATED_FOLDER}/README.md`, text: contents() },
    { path: 'ARCHITECTURE.md', text: withModulesDrawing(architecture, root) },
  ];
}

/** As the service serves it, without listening anywhere. */
async function describeApi(server: FastifyInstance, path: string): Promise<string> {
  const answer = await server.inject(path);
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${answer.body}`);
  return `${answer.body}\n`;
}

function contents(): string {
  const rows = [
    ['operations.md', 'every operation and who may call it'],
    ['openapi/client.json', 'the client API in full (OpenAPI 3.1)'],
    ['openapi/admin.json', 'the operations API in full (OpenAPI 3.1)'],
    ['openapi/events.json', 'events in full: schema and example of each kind (AsyncAPI 3)'],
    ['errors.md', 'every errorCode, its status and meaning'],
    ['states.md', 'every life cycle, as table and drawing'],
    ['events.md', 'what other systems are told'],
    ['jobs.md', 'what happens after a request or by the clock'],
    ['schema.md', 'tables, columns, constraints'],
    ['modules.md', 'modules, what they own and whom they may use'],
    ['configuration.md', 'every environment variable'],
  ];
  return page(
    'Written by the program',
    'These pages come out of the code that runs: `npm run regen` writes them, `npm run check` fails while one is stale.',
    table(
      ['Page', 'Shows'],
      rows.map(([name = '', shows = '']) => [`[${name}](${name})`, shows]),
    ),
    `Changed something? Run ${code('npm run regen')} and commit the result with it.`,
  );
}
