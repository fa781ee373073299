import { openStore } from '../../../../gateway/store/store';
import { databaseClock } from '../../../../gateway/store/postgres/clock';
import { MINUTE, SECOND } from '../../../../gateway/time';
import { createDatabase } from '../../../support/postgres';
import { until } from '../../../support/http-peer';

describe('the clock of processes on one PostgreSQL', () => {
  test('is that of the database, also where a machine’s clock is set anew', async () => {
    let ahead = 5 * MINUTE;
    const store = await openStore(await createDatabase(), 'first command', () => Date.now() + ahead);
    const isRight = () => Math.abs(store.clock() - Date.now()) < 10 * SECOND;
    expect(isRight()).toBe(true);
    store.listen(() => undefined);
    ahead = -20 * MINUTE;
    await until(isRight);
    await store.close();
  });

  test('is the machine’s own where that differs by little', () => {
    let now = 1_000_000;
    const clock = databaseClock(() => now);
    clock.heard(now, now - 1_500);
    expect(clock.now()).toBe(now);
    clock.heard(now, now - 90_000);
    expect(clock.now()).toBe(now - 90_000);
    clock.heard(now, now - 90_500);
    expect(clock.now()).toBe(now - 90_000);
    clock.heard(now, now);
    expect(clock.now()).toBe(now);
    // An answer that came so late tells nothing.
    now += 60_000;
    clock.heard(now - 60_000, now - 60_000);
    expect(clock.now()).toBe(now);
  });
});
