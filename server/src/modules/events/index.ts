export { createEvents } from './create-events.ts';
export type { Events, EventsDeps } from './create-events.ts';
export { describeEvents } from './describe-events.ts';
export { eventCatalogue } from './event-catalogue.ts';
export type { EventType } from './event-catalogue.ts';
export { recordEvents } from './record-event.ts';
export type { NewEvent } from './record-event.ts';
