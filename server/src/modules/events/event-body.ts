import { eventCatalogue, isEventType } from './event-catalogue.ts';

/** What consumers get, by webhook, stream or command line (decisions part 9). */
export interface EventBody {
  /** The same in every delivery of the event: consumers drop what they have seen. */
  readonly id: string;
  readonly type: string;
  /** When the fact became true, ISO 8601 in UTC. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface RecordedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly occurred_at: Date;
}

/** Only what the catalogue declares leaves, whatever was recorded. */
export function toEventBody({ id, type, data, occurred_at: at }: RecordedEvent): EventBody {
  const declared = isEventType(type) ? Object.keys(eventCatalogue[type].data.properties) : [];
  const sent = declared.filter((name) => data[name] !== undefined).map((name) => [name, data[name]] as const);
  return { id, type, timestamp: at.toISOString(), data: Object.fromEntries(sent) };
}
