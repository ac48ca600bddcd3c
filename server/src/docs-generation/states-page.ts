import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { StateMachine } from '../platform/state-machine.ts';
import { byText, code, codes, drawing, page, table } from './markdown.ts';
import { docCommentAt, findMentions } from './source-texts.ts';
import type { SourceText } from './source-texts.ts';

export interface FoundStateMachine {
  readonly machine: StateMachine<string, string>;
  readonly path: string;
  readonly meaning: string;
}

/** Every life cycle of the program: whatever a file named *-states.ts makes with defineStateMachine. */
export async function findStateMachines(
  root: string,
  sources: readonly SourceText[],
): Promise<FoundStateMachine[]> {
  const mentions = findMentions(sources, /export const (\w+) = defineStateMachine\(/g);
  const found = await Promise.all(
    mentions.map(async (mention) => {
      const exported = (await import(pathToFileURL(join(root, mention.path)).href)) as Record<
        string,
        unknown
      >;
      const machine = exported[mention.word] as StateMachine<string, string>;
      return { machine, path: mention.path, meaning: docCommentAt(mention, mention.word) };
    }),
  );
  return found.toSorted(byText(({ machine }) => machine.name));
}

export function statesPage(found: readonly FoundStateMachine[]): string {
  const intro =
    'Every life cycle with the facts that move it. A fact that has no edge from the present state changes nothing.';
  return page('States', intro, ...found.map(describe));
}

function describe({ machine, path, meaning }: FoundStateMachine): string {
  const { name, states, edges } = machine;
  const final = states.filter((state) => !edges.some(({ from }) => from === state));
  return [
    `## ${name}`,
    meaning,
    `Defined in ${code(path)}. ${final.length > 0 ? `Nothing leaves ${codes(final)}.` : ''}`.trim(),
    table(
      ['From', 'Fact', 'To'],
      edges.map(({ from, on, to }) => [code(from), code(on), code(to)]),
    ),
    drawing(['stateDiagram-v2', ...states.map((state) => `  ${state}`), ...arrowsOf(machine)]),
  ].join('\n\n');
}

/** One arrow for each pair of states, with all facts that lead that way. */
function arrowsOf({ edges }: StateMachine<string, string>): string[] {
  const facts = Map.groupBy(edges, ({ from, to }) => `${from} --> ${to}`);
  return [...facts].map(([arrow, group]) => `  ${arrow}: ${group.map(({ on }) => on).join(', ')}`);
}
