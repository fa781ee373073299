import { mayClockBeAhead } from '../../../gateway/cli/housekeeping';
import { eventIdBefore } from '../../../gateway/store/event-id';
import { DAY } from '../../../gateway/time';
import { DATABASES } from '../../support/databases';
import { at, notificationOf, openStores, owed } from '../store/support';

describe.each(DATABASES)('a clock that is far ahead ($name)', ({ createUrl }) => {
  const open = openStores();

  test('is found by the newest event, so that nothing is cleared away by it', async () => {
    const store = await open(await createUrl());
    const newest = Date.parse(at(0));
    const isAhead = (days: number) => mayClockBeAhead({ store, clock: () => newest + days * DAY });
    expect(await isAhead(3650)).toBe(false);
    await store.write(notificationOf([owed(eventIdBefore(newest).slice('evt_'.length), [])]));
    expect([await isAhead(0), await isAhead(6), await isAhead(8), await isAhead(3650)]).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});
