import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { moduleGraph, modulePurposes } from '../../module-graph.mjs';
import type { SchemaTable } from './schema-store.ts';
import { code, codes, drawing, page, table } from './markdown.ts';

const present = (root: string): string[] =>
  Object.keys(moduleGraph).filter((name) => existsSync(join(root, 'server/src/modules', name)));

export function modulesPage(root: string, tables: readonly SchemaTable[]): string {
  const rows = present(root).map((name) => {
    const owned = tables.filter(({ owner }) => owner === name).map((one) => one.name);
    const mayUse = moduleGraph[name] ?? [];
    return [
      code(name),
      purposeOf(name),
      mayUse === '*' ? 'all' : mayUse.join(', ') || '–',
      codes(owned) || '–',
    ];
  });
  return page(
    'Modules',
    'A module is a folder in `server/src/modules`; others see its `index.ts` only. Who may use whom is the table in ' +
      '`server/module-graph.mjs`, which the build enforces.',
    table(['Module', 'What it is for', 'May use', 'Its tables'], rows),
    modulesDrawing(root),
  );
}

function purposeOf(name: string): string {
  const purpose = modulePurposes[name];
  if (purpose === undefined)
    throw new Error(`Module ${name} needs its line in modulePurposes of server/module-graph.mjs`);
  return purpose;
}

/** Arrows point to what is used. A module that all others may use is drawn without its arrows. */
export function modulesDrawing(root: string): string {
  const names = present(root);
  const uses = (name: string): readonly string[] => {
    const mayUse = moduleGraph[name] ?? [];
    return mayUse === '*' ? [] : mayUse.filter((used) => names.includes(used));
  };
  const mayUse = (other: string, name: string): boolean =>
    other === name || moduleGraph[other] === '*' || uses(other).includes(name);
  const forAll = names.filter((name) => names.every((other) => mayUse(other, name)));
  const drawn = names.filter((name) => !forAll.includes(name));
  const arrows = drawn.flatMap((name) =>
    uses(name).flatMap((used) => (forAll.includes(used) ? [] : [`  ${name} --> ${used}`])),
  );
  return drawing([
    'flowchart TD',
    ...drawn.map((name) => `  ${name}${moduleGraph[name] === '*' ? `["${name}: reads all"]` : ''}`),
    ...forAll.map((name) => `  ${name}["${name}: used by all"]`),
    ...arrows,
  ]);
}

const BEGIN = '<!-- drawn by `npm run regen`: modules -->';
const END = '<!-- end of the drawing -->';

/** @throws Error when the text has lost its markers. */
export function withModulesDrawing(text: string, root: string): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`ARCHITECTURE.md must keep the lines "${BEGIN}" and "${END}"`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${modulesDrawing(root)}\n\n${text.slice(end)}`;
}
