import { isDatabaseUnavailable } from '../../../../gateway/store/unavailable';
import { createVault } from '../../../../gateway/store/vault';
import { createDatabase } from '../../../support/postgres';
import { addLine, at, openStores } from '../support';

const open = openStores();

test('a process that stands still within a transaction holds the others up for seconds only', async () => {
  const url = await createDatabase();
  const [one, other] = [await open(url), await open(url)];
  const line = await addLine(one);
  const { promise: paused, resolve: goOn } = Promise.withResolvers<void>();
  const { promise: locked, resolve: hasLocked } = Promise.withResolvers<void>();
  const actor = { who: 'nobody', through: 'command', address: null } as const;
  const change = one
    .audited(
      createVault('a key for tests, and for nothing else'),
      at(0),
      actor,
      () => null,
      async (inside) => {
        await inside.lines.update(line, { name: 'Locked' });
        hasLocked();
        await paused;
        await inside.lines.all();
      },
    )
    .catch((error: unknown) => error);
  await locked;
  await other.lines.update(line, { name: 'Renamed' });
  goOn();
  expect(isDatabaseUnavailable(await change)).toBe(true);
  expect((await other.lines.all()).map(({ name }) => name)).toEqual(['Renamed']);
});
