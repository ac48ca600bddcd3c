export { recordEvents } from './record-event.ts';
export type { EventType, NewEvent } from './record-event.ts';
