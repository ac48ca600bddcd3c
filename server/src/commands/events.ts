import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';

import {
  eventTypes,
  followEvents,
  makeWebhookSecret,
  sendWebhook,
  toEventBody,
} from '../modules/events/index.ts';
import type { PublishedEvent, SentWebhook } from '../modules/events/index.ts';
import type { Reader } from '../platform/db/database.ts';
import { createOutboundClient } from '../platform/outbound/outbound-client.ts';
import { systemRandom } from '../platform/random.ts';
import { systemClock } from '../platform/time.ts';

export interface EventLog {
  readonly db: Reader;
  close(): Promise<void>;
}

/** What a command works with; a test brings its own. */
export interface EventsCommandDeps {
  readonly open: () => Promise<EventLog>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Ends it: Ctrl-C. */
  readonly signal: () => AbortSignal;
}

interface FollowFlags {
  readonly type?: readonly string[];
  readonly after?: number;
}

interface ListenFlags extends FollowFlags {
  readonly forwardTo: string;
  readonly secret?: string;
}

/** Adds `events tail` and `events listen`, for people who write consumers. */
export function registerEvents(program: Command, deps: EventsCommandDeps): void {
  const events = program.command('events').description('What other systems are told');
  withFollowFlags(events.command('tail'))
    .description('Print events as they happen, one JSON object a line')
    .action((flags: FollowFlags) => follow(deps, flags, async (event) => deps.out(lineOf(event))));
  withFollowFlags(events.command('listen'))
    .description('Send events to a URL as signed webhooks while you develop what receives them')
    .requiredOption(
      '--forward-to <url>',
      'where your consumer listens, for example http://127.0.0.1:4000/hook',
    )
    .option('--secret <whsec_…>', 'signs with this secret; one is made and printed when left out')
    .action((flags: ListenFlags) => listen(deps, flags));
}

function withFollowFlags(command: Command): Command {
  return command
    .option('--type <kinds...>', 'only these kinds', collectTypes)
    .option('--after <sequence>', 'begin after this place in the log; 0 is its beginning', parseSequence);
}

function collectTypes(value: string, earlier: readonly string[] = []): readonly string[] {
  if (!eventTypes.some((type) => type === value))
    throw new InvalidArgumentError(`There are: ${eventTypes.join(', ')}.`);
  return [...earlier, value];
}

function parseSequence(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It is a whole number, 0 or more.');
  return Number(value);
}

const lineOf = (event: PublishedEvent): string =>
  `${JSON.stringify({ sequence: event.sequence, ...toEventBody(event) })}\n`;

async function follow(
  deps: EventsCommandDeps,
  flags: FollowFlags,
  take: (event: PublishedEvent) => Promise<void>,
): Promise<void> {
  const log = await deps.open();
  try {
    const options = { after: flags.after, types: flags.type, signal: deps.signal() };
    for await (const event of followEvents(log.db, options)) await take(event);
  } finally {
    await log.close();
  }
}

async function listen(deps: EventsCommandDeps, flags: ListenFlags): Promise<void> {
  const secret = flags.secret ?? makeWebhookSecret(systemRandom);
  // A developer's own machine is where this leads: private addresses are the point of it.
  const http = createOutboundClient({ connections: 1 });
  deps.err(`Forwarding to ${flags.forwardTo}, signed with ${secret}\n`);
  try {
    await follow(deps, flags, async (event) => {
      const request = { url: flags.forwardTo, secrets: [secret], body: toEventBody(event) };
      const sent = await sendWebhook({ http, clock: systemClock }, request);
      deps.out(`${event.sequence} ${event.type} ${event.id} → ${answerOf(sent)}\n`);
    });
  } finally {
    await http.close();
  }
}

const answerOf = ({ status, error, durationMs }: SentWebhook): string =>
  `${status ?? error ?? 'no answer'} in ${durationMs} ms`;
