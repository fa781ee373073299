import { failureOf, saidOfPause } from '../../forwarding/failures';
import { lastTryOf, type LastTry } from '../../forwarding/last-try';
import { say } from '../../wording/say';
import { quoted, SettingError } from '../../errors';
import {
  destinationOf,
  MOST_PREVIOUS_SECRETS,
  stillSigning,
  type Destination,
  type EventKind,
} from '../../forwarding/destination';
import { addDestination } from '../../forwarding/destinations/add-destination';
import { type DestinationInput } from '../../forwarding/destinations/destination-input';
import { editDestination } from '../../forwarding/destinations/edit-destination';
import { pauseDestination } from '../../forwarding/destinations/pause-destination';
import { removeDestination } from '../../forwarding/destinations/remove-destination';
import { resumeDestination } from '../../forwarding/destinations/resume-destination';
import { rotateSecret } from '../../forwarding/destinations/rotate-secret';
import { howToAllow } from '../../http/destination-address';
import { nextAttemptOf } from '../../store/reports/destination-report';
import { MOST_COUNTED } from '../../store/reports/backlog';
import { type DestinationRow } from '../../store/tables/destinations';
import { type TokenRow } from '../../store/tables/tokens';
import { isoTime } from '../../time';
import { commandActor, lineByTid, offline, type Offline } from '../offline';
import { wordsAndOptions } from '../options';
import { print } from '../print';
import { secretsIn, withoutSecrets } from '../secrets';
import { handshakeText, tryHandshake } from './handshake';

const FIELDS = ['url', 'events', 'mode', 'quiet-seconds'] as const;
/** `header` is included because headers often contain a password. */
const SECRETS = ['secret', 'header'] as const;

/** Adds a destination to a line. Its secret is printed only here. */
export async function destinationAdd(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { text: FIELDS, flags: ['json'], secrets: SECRETS });
  const { url } = values;
  if (url === undefined) throw new SettingError('Where should events go? Give --url https://….');
  const given = { ...(await givenIn(values)), url, origin: 'operator' as const };
  await offline(env, async (deps) => {
    const line = await lineByTid(deps.store, words);
    const added = await addDestination(deps, commandActor(), line.id, given);
    const shaken = await tryHandshake(deps, added);
    if (values.json)
      return print(JSON.stringify({ id: added.id, url: added.url, secret: added.secret, handshake: shaken }));
    print(`Destination ${added.id} receives the events of line ${line.id}.`);
    if (given.secret === undefined) print(`Its secret, shown only once: ${added.secret}`);
    print(handshakeText(shaken));
  });
}

/** Shows a line's destinations with their state. */
export async function destinationList(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { flags: ['json'] });
  await offline(env, async ({ store, vault, clock }) => {
    const line = await lineByTid(store, words);
    const rows = await store.destinations.active(isoTime(clock()), line.id);
    const destinations = rows.map((row) => ({
      ...shown(row),
      previous_secret_until: lastEndOf(destinationOf(row, vault), clock()),
    }));
    if (values.json) return print(JSON.stringify({ destinations }));
    rows.forEach((row) =>
      print(row.id, row.url, originOf(row), row.mode, shown(row).events.join(','), healthOf(row)),
    );
  });
}

/** Prints the state of a destination from the database. */
export async function destinationShow(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { flags: ['json'] });
  await eachDestination(env, words.slice(0, 1), async ({ store }, row) => {
    const { untried, oldestAt, dueAt, lastAttempt, owner } = await store.destinationReport(row.id);
    const waiting = (await store.backlog.of([row.id])).get(row.id)?.count ?? 0;
    const token = (await store.tokens.latestOf(row.token_id === null ? [] : [row.token_id])).get(
      row.token_id ?? 0,
    );
    const last = lastTryOf(row, lastAttempt);
    const nextAttemptAt = nextAttemptOf(row, dueAt);
    if (values.json)
      return print(
        JSON.stringify({
          destination: shown(row),
          waiting,
          not_tried_yet: untried,
          oldest_waiting_since: oldestAt,
          next_attempt_at: nextAttemptAt,
          last_attempt: lastAttempt,
          sent_by: owner,
        }),
      );
    const facts: [string, string][] = [
      ['Destination', `${row.id} of line ${row.line_id}: ${row.url}`],
      ['Registered by', token ? tokenText(token) : originOf(row)],
      ['State', healthOf(row)],
      ['Last attempt', last ? lastTryText(last, row) : 'none yet'],
      ['Waiting', waitingText(waiting, untried)],
      ['Oldest waiting', oldestAt ?? '-'],
      ['Next attempt', nextAttemptAt ?? (waiting ? 'once it is resumed' : '-')],
      ['Sent by', owner ?? 'the gateway of this database'],
    ];
    facts.forEach(([name, value]) => print(name, value));
  });
}

const tokenText = ({ id, name, last_four: last, revoked_at: revokedAt }: TokenRow): string =>
  `token ${id} (…${last})${name === null ? '' : ` ${quoted(name)}`}${revokedAt === null ? '' : `, revoked ${revokedAt}`}`;

const countText = (count: number): string =>
  count > MOST_COUNTED ? `more than ${MOST_COUNTED}` : String(count);

const waitingText = (waiting: number, untried: number): string =>
  waiting
    ? `${countText(waiting)} ${waiting === 1 ? 'event' : 'events'}${untried ? `, ${countText(untried)} not tried yet` : ''}`
    : 'nothing';

function lastTryText({ at, attempt }: LastTry, { url, last_failure: last }: DestinationRow): string {
  const result = attempt
    ? failureOf({ outcome: attempt.outcome, httpStatus: attempt.http_status })
    : (last ?? 'failed');
  const rest = attempt
    ? ` after ${attempt.duration_ms} ms, attempt ${attempt.number} of ${attempt.event_id}`
    : ', not counted as an attempt';
  const text = `${at}: ${result}${rest}`;
  return result === 'address_refused' ? `${text}. ${say('en', howToAllow(new URL(url)))}` : text;
}

/** Changes the URL of a destination, its events, or its headers. */
export async function destinationEdit(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(withoutSecrets(args, SECRETS), {
    text: FIELDS,
    flags: ['json', 'no-headers'],
    secrets: ['header'],
  });
  const given = await givenIn(values);
  if (values['no-headers']) given.headers = '';
  if (Object.values(given).every((value) => value === undefined))
    throw new SettingError(
      'What should change? Give --url, --events, --mode, --quiet-seconds, --header-file or --no-headers.',
    );
  await eachDestination(env, words.slice(0, 1), async (deps, row) => {
    const edited = await editDestination(deps, commandActor(), named(row), given);
    print(`Destination ${row.id} is changed.`);
    if (edited && given.url !== undefined) print(handshakeText(await tryHandshake(deps, edited.after)));
  });
}

/** Reads the destination's fields from the options. */
async function givenIn(
  values: Partial<Record<(typeof FIELDS)[number] | `${(typeof SECRETS)[number]}-file`, string>>,
): Promise<DestinationInput> {
  const { secret, header } = await secretsIn(values, SECRETS);
  return {
    url: values.url,
    secret,
    events: values.events?.split(',').flatMap((kind) => kind.trim() || []),
    mode: values.mode,
    quietSeconds: values['quiet-seconds'],
    headers: header,
  };
}

/** Replaces a destination's secret. The previous one also signs for some hours. */
export async function destinationRotate(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { text: ['overlap'], secrets: ['secret'] });
  const { secret: given = null } = await secretsIn(values, ['secret']);
  await eachDestination(env, words.slice(0, 1), async (deps, row) => {
    const { secret, hours } = await rotateSecret(deps, commandActor(), named(row), given, values.overlap);
    if (given === null) print(`Its new secret, shown only once: ${secret}`);
    print(
      hours
        ? `For ${hours} hours events are signed with the previous secret as well: webhook-signature has a signature of each, X-Hub-Signature-256 that of the oldest valid secret. At most ${MOST_PREVIOUS_SECRETS} previous secrets stay valid.`
        : 'No previous secret is used any longer.',
    );
  });
}

/** Pauses destinations; their events are queued. */
export async function destinationPause(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  await eachDestination(env, idsOf(args), async (deps, row) => {
    await pauseDestination(deps, commandActor(), named(row), null);
    print(`Destination ${row.id} is paused; its events are kept.`);
  });
}

/** Resumes paused destinations and sends their queued events. */
export async function destinationResume(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  await eachDestination(env, idsOf(args), async (deps, row) => {
    await resumeDestination(deps, commandActor(), named(row));
    print(`Destination ${row.id} is resumed.`);
  });
}

/** Removes destinations, and cancels their pending deliveries. */
export async function destinationRemove(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  await eachDestination(env, idsOf(args), async (deps, row) => {
    await removeDestination(deps, commandActor(), named(row));
    await deps.store.deliveries.cancelOfRemoved(row.id, isoTime(deps.clock()));
    print(`Destination ${row.id} is removed.`);
  });
}

const named = ({ id, line_id: lineId, url }: DestinationRow) => ({ id, lineId, url });

const idsOf = (args: string[]): string[] => wordsAndOptions(args).words;

async function eachDestination(
  env: NodeJS.ProcessEnv,
  ids: string[],
  work: (deps: Offline, row: DestinationRow) => Promise<void>,
): Promise<void> {
  if (!ids.length)
    throw new SettingError('Which destination? Give its id, as "destination list TID" shows it.');
  await offline(env, async (deps) => {
    for (const id of ids) {
      const row = /^\d{1,9}$/.test(id) ? await deps.store.destinations.find(Number(id)) : null;
      if (!row || row.removed_at !== null)
        throw new SettingError(`There is no destination ${id}. "destination list TID" shows them.`);
      await work(deps, row);
    }
  });
}

/** A destination for output, without secrets and headers. */
const shown = ({
  secret_sealed: _secret,
  previous_secret_sealed: _previous,
  headers_sealed: _headers,
  events,
  ...row
}: DestinationRow) => ({ ...row, events: JSON.parse(events) as EventKind[] });

/** How the destination was added; for a token, with its ID from "token list" or "admin-token list". */
const originOf = ({ origin, token_id: token, admin_token_id: adminToken }: DestinationRow): string => {
  if (adminToken !== null) return `admin token ${adminToken}`;
  return origin === 'token' && token !== null ? `token ${token}` : origin;
};

/** Returns when the last previous secret stops signing; null if none does. */
const lastEndOf = (destination: Destination, now: number): string | null =>
  stillSigning(destination, now)
    .map(({ until }) => until)
    .sort()
    .at(-1) ?? null;

const healthOf = (row: DestinationRow): string => {
  if (row.paused_at !== null) return `paused ${row.paused_at}: ${say('en', saidOfPause(row))}`;
  if (row.failing_since !== null) return `failing since ${row.failing_since}: ${row.last_failure ?? ''}`;
  return 'active';
};
