import { errorCatalogue } from '../platform/errors.ts';
import { byText, code, page, table } from './markdown.ts';
import { findMentions, placeOf, withoutComments } from './source-texts.ts';
import type { SourceText } from './source-texts.ts';

/**
 * Code → the places of the program that answer with it: those that write its name, other than to declare what an
 * operation may answer.
 */
export function findErrorUses(sources: readonly SourceText[]): Map<string, string[]> {
  const program = withoutComments(sources);
  const names = Object.keys(errorCatalogue).join('|');
  const written = findMentions(program, new RegExp(`(?<!errors: \\[[^\\]]*|\\.add\\()'(${names})'`, 'g'));
  const fields = findMentions(program, /(\bfieldError)\(/g).map((use) => ({
    ...use,
    word: 'VALIDATION_ERROR',
  }));
  return placesByWord([...written, ...fields]);
}

/** `data.type` → the places that answer with it. */
export function findErrorTypes(sources: readonly SourceText[]): Map<string, string[]> {
  return placesByWord(findMentions(withoutComments(sources), /\btype: '((?:[A-Z][a-z0-9]+){2,})'/g));
}

/** `data.code` → the errorCode it comes with. */
function findReasons(sources: readonly SourceText[]): Map<string, string> {
  const mentions = findMentions(withoutComments(sources), /\b([a-z_]+): \{\s*errorCode: '/g);
  return new Map(
    mentions
      .map(({ word, text, at }) => [word, /errorCode: '([A-Z_]+)'/.exec(text.slice(at))?.[1] ?? ''] as const)
      .toSorted(byText(([reason]) => reason)),
  );
}

function placesByWord(mentions: readonly { word: string; path: string }[]): Map<string, string[]> {
  const places = Map.groupBy(mentions, ({ word }) => word);
  return new Map(
    [...places]
      .map(([word, uses]) => [word, [...new Set(uses.map(({ path }) => placeOf(path)))].toSorted()] as const)
      .toSorted(byText(([word]) => word)),
  );
}

export function errorsPage(sources: readonly SourceText[]): string {
  const uses = findErrorUses(sources);
  const types = findErrorTypes(sources);
  const reasons = findReasons(sources);
  return page(
    'Errors',
    'Every error a caller can receive. `errorCode` strings are stable across releases; parse them, never the message. ' +
      'Every body is `{success: false, message, data, errorCode}`, with `errors[]` of `{field, message}` for fields.',
    table(
      ['errorCode', 'Status', 'Meaning', 'Answered by'],
      Object.entries(errorCatalogue).map(([name, { status, meaning }]) => [
        code(name),
        String(status),
        meaning,
        (uses.get(name) ?? []).join(', '),
      ]),
    ),
    '## Finer detail in `data.type`',
    'Where a program may want to tell cases of one code apart, `data.type` names the case; it never becomes a new code.',
    table(
      ['data.type', 'Answered by'],
      [...types].map(([name, places]) => [code(name), places.join(', ')]),
    ),
    ...(reasons.size === 0
      ? []
      : [
          '## Redemption: the reason in `data.code`',
          table(
            ['data.code', 'errorCode'],
            [...reasons].map(([reason, errorCode]) => [code(reason), code(errorCode)]),
          ),
        ]),
  );
}
