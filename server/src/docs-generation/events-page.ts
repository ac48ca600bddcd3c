import { eventCatalogue } from '../modules/events/index.ts';
import { byText, code, codes, page, table } from './markdown.ts';
import { findMentions, placeOf } from './source-texts.ts';
import type { SourceText } from './source-texts.ts';

export function eventsPage(sources: readonly SourceText[]): string {
  const elsewhere = sources.filter(({ path }) => !path.endsWith('/event-catalogue.ts'));
  const mentions = findMentions(elsewhere, /'([a-z_]+\.[a-z_]+)'/g);
  const rows = Object.entries(eventCatalogue)
    .toSorted(byText(([type]) => type))
    .map(([type, { meaning, data }]) => {
      const places = mentions.filter(({ word }) => word === type).map(({ path }) => placeOf(path));
      return [
        code(type),
        meaning,
        codes(Object.keys(data.properties)),
        [...new Set(places)].toSorted().join(', '),
      ];
    });
  return page(
    'Events',
    'Facts for other systems, recorded in the transaction that makes them true and kept in order per stream (an ' +
      'order, a campaign). An event never holds a voucher code, pin, password, one-time password or token. Schemas and examples: [openapi/events.json](openapi/events.json).',
    table(['Type', 'Meaning', 'Carries', 'Recorded by'], rows),
  );
}
