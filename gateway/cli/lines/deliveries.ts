import { SettingError } from '../../errors';
import { beginReplay, MOST_REPLAYED } from '../../forwarding/replay';
import { type Store } from '../../store/store';
import { eventIdBefore } from '../../store/event-id';
import { commandActor, lineByTid, offline, timeOf } from '../offline';
import { wordsAndOptions } from '../options';
import { print } from '../print';

const RANGE = ['line', 'from', 'to'] as const;

/** Returns the range of event IDs for --from and --to. */
const rangeOf = ({ from, to }: { from?: string; to?: string }) => ({
  ...(from !== undefined && { from: eventIdBefore(timeOf('--from', from)) }),
  ...(to !== undefined && { to: eventIdBefore(timeOf('--to', to)) }),
});

/** Resends one event, the events of a range, or all failed ones. */
export async function deliveriesReplay(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, {
    text: [...RANGE, 'destination'],
    flags: ['dead', 'json'],
  });
  const [eventId, ...more] = words;
  if (more.length || (eventId !== undefined && !/^evt_\w+$/.test(eventId)))
    throw new SettingError('Which event? Give one id, such as evt_01k5…: it goes out as "webhook-id".');
  if (eventId === undefined && !values.dead && values.from === undefined)
    throw new SettingError(
      'What is to be sent again? Give the id of an event, --dead for all that was given up, or --from TIME for all since then.',
    );
  const range = rangeOf(values);
  await offline(env, async (deps) => {
    const destinationIds = await destinationsOf(deps.store, values.line, values.destination);
    const { dead, line, destination, from, to } = values;
    const run = await beginReplay(
      deps,
      commandActor(),
      null,
      {
        ...range,
        states: dead
          ? ['dead']
          : [...(eventId === undefined ? [] : ['pending' as const]), 'delivered', 'dead'],
        ...(eventId !== undefined && { eventId }),
        ...(destinationIds && { destinationIds }),
      },
      { event: eventId, dead, line, destination, from, to },
    );
    const { count, isAll } = await run();
    if (values.json) return print(JSON.stringify({ replayed: count, complete: isAll }));
    print(count === 1 ? 'One delivery is sent again.' : `${count} deliveries are sent again.`);
    if (!isAll) print(`That is the most of one replay (${MOST_REPLAYED}). Give a later --from for the rest.`);
  });
}

/** Returns the destination IDs that match --line and --destination; undefined if neither is given. */
async function destinationsOf(
  store: Store,
  tid: string | undefined,
  id: string | undefined,
): Promise<number[] | undefined> {
  if (tid === undefined && id === undefined) return undefined;
  const line = tid === undefined ? null : await lineByTid(store, [tid]);
  const ids = (await store.destinations.all())
    .filter((destination) => line === null || destination.line_id === line.id)
    .filter((destination) => id === undefined || String(destination.id) === id)
    .map((destination) => destination.id);
  if (!ids.length && id !== undefined) throw new SettingError(`There is no destination ${id} there.`);
  return ids;
}
