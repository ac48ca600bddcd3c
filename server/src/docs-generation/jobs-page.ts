import type { JobHandler } from '../platform/jobs/queue.ts';
import type { Sweep } from '../platform/jobs/sweeps.ts';
import { byText, code, page, table } from './markdown.ts';
import { docCommentAt, findMentions, placeOf } from './source-texts.ts';
import type { Mention, SourceText } from './source-texts.ts';

export function jobsPage(
  sources: readonly SourceText[],
  work: { readonly jobHandlers: readonly JobHandler[]; readonly sweeps: readonly Sweep[] },
): string {
  const jobs = findMentions(sources, /export const \w+ = defineJob<[^>]+>\('([^']+)'\)/g);
  const sweeps = findMentions(sources, /\bname: '([^']+)',\s+everySeconds\b/g);
  return page(
    'Jobs and sweeps',
    'Work that happens after a request, or by the clock. Every effect is a guarded write: running twice changes nothing.',
    '## Jobs',
    'Enqueued in PostgreSQL by the transaction that wants them; they exist exactly when it committed.',
    jobsTable(work.jobHandlers, jobs),
    '## Sweeps',
    'Run by one process of all that share the database, the first time at its start.',
    sweepsTable(work.sweeps, sweeps),
  );
}

function jobsTable(handlers: readonly JobHandler[], mentions: readonly Mention[]): string {
  const rows = handlers.toSorted(byText(({ name }) => name)).map(({ name }) => {
    const mention = mentionOf(mentions, name, 'job');
    return [code(name), docCommentAt(mention, `Job ${name}`), placeOf(mention.path)];
  });
  return table(['Job', 'Does', 'Defined in'], rows);
}

function sweepsTable(sweeps: readonly Sweep[], mentions: readonly Mention[]): string {
  const rows = sweeps.toSorted(byText(({ name }) => name)).map(({ name, everySeconds }) => {
    const mention = mentionOf(mentions, name, 'sweep');
    return [code(name), `${everySeconds} s`, docCommentAt(mention, `Sweep ${name}`), placeOf(mention.path)];
  });
  return table(['Sweep', 'Every', 'Does', 'Defined in'], rows);
}

function mentionOf(mentions: readonly Mention[], name: string, kind: string): Mention {
  const mention = mentions.find(({ word }) => word === name);
  if (!mention)
    throw new Error(`The ${kind} ${name} is not found in the source: write its name where it is made`);
  return mention;
}
