import * as Type from 'typebox';
import { destinationNotFound, invalidField, lineNotFound } from '../../../errors';
import { destinationOf, isOfQuestions, type Destination } from '../../../forwarding/destination';
import { addDestination } from '../../../forwarding/destinations/add-destination';
import { editDestination } from '../../../forwarding/destinations/edit-destination';
import { handshake } from '../../../forwarding/destinations/handshake';
import { removeDestination } from '../../../forwarding/destinations/remove-destination';
import { verifyTokenOf } from '../../../forwarding/signatures';
import { type Tables } from '../../../store/store';
import { addressWithoutPath } from '../../../store/tables/audit';
import { type LineRow } from '../../../store/tables/lines';
import { isoTime } from '../../../time';
import { fact } from '../../../wording/facts';
import { DestinationAnswer, shown } from '../../destinations/destination-answer';
import { DestinationFields } from '../../destinations/add-destination';
import { HandshakeAnswer, shownHandshake, optionalFields } from '../../http/answer-parts';
import { bodyOf, typesOf } from '../../http/parse-body';
import { change, create, get, list, remove } from '../described';
import { pageInMemory } from '../list-page';
import { done, found, made, type AdminContext } from '../operation';
import { lineIn } from '../lines/lines';

export const DestinationObject = Type.Object({
  ...DestinationAnswer.properties,
  line_id: Type.Integer(),
  url: Type.String({ description: 'Without its path if the token may not manage destinations.' }),
});

const NewDestination = Type.Object(DestinationFields, { additionalProperties: false });
const { url, events, mode, quiet_seconds, headers } = DestinationFields;
const DestinationChange = Type.Object(optionalFields({ url, events, mode, quiet_seconds, headers }), {
  additionalProperties: false,
});
const readNew = bodyOf(typesOf(NewDestination));
const readChange = bodyOf(typesOf(DestinationChange));

export const TAG = 'Destinations';
const refusals = () => [
  invalidField('url', 'address', fact('url.invalid', {})),
  invalidField('headers', 'headers', fact('header.own', { name: '"Host"' })),
  invalidField('quiet_seconds', 'mode', fact('raw.waits', {})),
];

const shownTo =
  ({ rights }: AdminContext, line: LineRow) =>
  (destination: Destination) => {
    const owned = { id: line.id, customerId: line.customer_id };
    const isManaged = rights.may('destinations.manage', owned);
    const { url } = destination;
    return { ...shown(destination), line_id: line.id, url: isManaged ? url : addressWithoutPath(url) };
  };

/** The destination in the path, and its line. @throws Refusal if the token does not see it */
export async function destinationIn(
  { params, deps }: AdminContext,
  { destinations, lines }: Pick<Tables, 'destinations' | 'lines'>,
): Promise<{ destination: Destination; line: LineRow }> {
  const row = await destinations.find(Number(params.destination_id));
  const destination = row && row.removed_at === null ? destinationOf(row, deps.vault) : null;
  const line = destination && !isOfQuestions(destination) ? await lines.find(destination.lineId) : null;
  if (!destination || !line) throw destinationNotFound();
  return { destination, line };
}

/** The destination as GET shows it. */
export async function destinationObject(context: AdminContext, store: Tables): Promise<object> {
  const { destination, line } = await destinationIn(context, store);
  return shownTo(context, line)(destination);
}

export const listDestinations = list('/lines/{line_id}/destinations', {
  tag: TAG,
  id: 'listDestinations',
  permission: 'events.read',
  summary: 'List the destinations of a line',
  description: 'The URLs that receive the replies and delivery statuses of the line.',
  schema: 'Destination',
  refusals: () => [lineNotFound()],
  handler: async (context) => {
    const { store, vault, clock } = context.deps;
    const line = await lineIn(context, store);
    const rows = await store.destinations.active(isoTime(clock()), [line.id]);
    const destinations = rows.map((row) => destinationOf(row, vault));
    return pageInMemory(context, destinations, shownTo(context, line));
  },
});

export const getDestination = get('/destinations/{destination_id}', {
  tag: TAG,
  id: 'getDestination',
  permission: 'events.read',
  summary: 'Get a destination',
  description: 'One destination. Its secret and the values of its headers are never shown.',
  schema: 'Destination',
  refusals: () => [destinationNotFound()],
  object: destinationObject,
});

export const createDestination = create('/lines/{line_id}/destinations', {
  tag: TAG,
  id: 'createDestination',
  permission: 'destinations.manage',
  summary: 'Create a destination',
  description:
    'Every new event is sent to this URL with POST, signed with `secret`. The URL receives a challenge first; `handshake` has the result.',
  body: {
    schema: NewDestination,
    examples: { usual: { value: { url: 'https://example.com/webhook' } } },
  },
  schema: 'Destination',
  secrets: { secret: Type.String(), verify_token: Type.String(), handshake: HandshakeAnswer },
  refusals: () => [lineNotFound(), ...refusals()],
  object: destinationObject,
  handler: async (context) => {
    const { deps, actor, request, isDryRun } = context;
    const line = await lineIn(context, deps.store);
    const { expires_in: expiresIn, quiet_seconds: quietSeconds, ...given } = readNew(request);
    const entered = { ...given, expiresIn, quietSeconds, origin: 'operator' as const };
    const added = await addDestination(deps, actor, line.id, entered);
    return made(`/destinations/${added.id}`, shownTo(context, line)(added), {
      secret: added.secret,
      verify_token: verifyTokenOf(added.secret),
      ...(!isDryRun && { handshake: shownHandshake(await handshake(deps.http, added)) }),
    });
  },
});

export const changeDestination = change('/destinations/{destination_id}', {
  tag: TAG,
  id: 'changeDestination',
  permission: 'destinations.manage',
  summary: 'Change a destination',
  description:
    'Fields that you omit stay as they are. If the URL changes to another server, send the headers again.',
  body: {
    schema: DestinationChange,
    examples: { url: { value: { url: 'https://example.com/other' } } },
  },
  schema: 'Destination',
  refusals: () => [destinationNotFound(), ...refusals()],
  object: destinationObject,
  handler: async (context) => {
    const { deps, actor, request } = context;
    const { destination, line } = await destinationIn(context, deps.store);
    const { quiet_seconds: quietSeconds, ...given } = readChange(request);
    const edited = await editDestination(deps, actor, destination, { ...given, quietSeconds });
    if (!edited) throw destinationNotFound();
    return found(shownTo(context, line)(edited.after));
  },
});

export const removeDestinationOperation = remove('/destinations/{destination_id}', {
  tag: TAG,
  id: 'removeDestination',
  permission: 'destinations.manage',
  summary: 'Remove a destination',
  description: 'Its waiting deliveries are canceled.',
  refusals: () => [destinationNotFound()],
  object: destinationObject,
  handler: async (context) => {
    const { deps, actor } = context;
    await removeDestination(deps, actor, (await destinationIn(context, deps.store)).destination);
    return done;
  },
});
