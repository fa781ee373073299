import { parseArgs } from 'node:util';
import { SettingError } from '../errors';
import { resumeDestination } from '../forwarding/manage-destinations';
import { type DestinationRow } from '../store/destinations';
import { lineByTid, offline } from './offline';
import { print } from './print';

/** Shows a line's destinations and how they fare. */
export async function destinationList(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { json: { type: 'boolean' } },
    allowPositionals: true,
  });
  await offline(env, async ({ store, clock }) => {
    const line = await lineByTid(store, positionals);
    const rows = (await store.destinations.active(new Date(clock()).toISOString())).filter(
      (row) => row.line_id === line.id,
    );
    const destinations = rows.map(({ secret_sealed: _secret, ...shown }) => shown);
    if (values.json) return print(JSON.stringify({ destinations }));
    destinations.forEach((row) => print([row.id, row.url, row.origin, healthOf(row)].join('\t')));
  });
}

/** Lets paused destinations go on, with all that has waited for them. */
export async function destinationResume(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { positionals } = parseArgs({ args, allowPositionals: true });
  if (!positionals.length)
    throw new SettingError('Which destination? Give its id, as "destination list TID" shows it.');
  await offline(env, async (world) => {
    for (const id of positionals) {
      const row = /^\d{1,9}$/.test(id) ? await world.store.destinations.find(Number(id)) : null;
      if (!row || row.removed_at !== null) throw new SettingError(`There is no destination ${id}.`);
      await resumeDestination(world, row.id);
      print(`Destination ${id} goes on.`);
    }
  });
}

const healthOf = (
  row: Pick<DestinationRow, 'paused_at' | 'paused_because' | 'failing_since' | 'last_failure'>,
) => {
  if (row.paused_at !== null) return `paused ${row.paused_at}: ${row.paused_because ?? ''}`;
  if (row.failing_since !== null) return `failing since ${row.failing_since}: ${row.last_failure ?? ''}`;
  return 'active';
};
