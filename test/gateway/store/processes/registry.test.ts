import { followRegistry } from '../../../../gateway/store/follow-registry';
import { openStore } from '../../../../gateway/store/store';
import { DATABASES } from '../../../support/databases';
import { until } from '../../../support/http-peer';
import { addDestination, addLine, at, openStores } from '../support';

describe.each(DATABASES)('the registry ($name)', ({ createUrl }) => {
  const open = openStores();

  test('grows its revision with every change of lines, tokens and destinations, and with no other', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    const destination = await addDestination(store, line);
    const token = await store.tokens.insert({
      line_id: line,
      hash: 'hash',
      last_four: 'abcd',
      created_at: at(0),
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
    });
    expect(await store.registry.revision()).toBe(3);
    await store.tokens.markUsed([{ id: token.id, at: at(1), from: '127.0.0.1', by: 'curl' }]);
    await store.lines.startRefresh(line, 'status', 'person', at(1), at(0));
    expect(await store.registry.revision()).toBe(3);
    expect(await store.tokens.revoke(token.id, at(2))).toBe(true);
    expect(await store.tokens.revoke(token.id, at(3))).toBe(false);
    await store.destinations.update(destination, { paused_at: at(2) });
    await store.destinations.remove(destination, at(3));
    expect(await store.registry.revision()).toBe(7);
    expect(await store.tokens.ofLine(line)).toMatchObject([{ last_used_at: at(1), revoked_at: at(2) }]);
    expect(await store.tokens.active(at(0))).toEqual([]);
  });

  test('of one store is followed by another on the same database, within moments', async () => {
    const url = await createUrl();
    const [here, there] = [await open(url), await open(url)];
    let names: string[] = [];
    const failures: unknown[] = [];
    await followRegistry(
      here,
      async () => {
        names = (await here.lines.all()).map(({ name }) => name);
      },
      (error) => failures.push(error),
    );
    expect(names).toEqual([]);
    const line = await addLine(there);
    await until(() => names[0] === 'Test line');
    await there.lines.update(line, { name: 'Renamed' });
    await until(() => names[0] === 'Renamed');
    expect(failures).toEqual([]);
  });

  test('is known to be followed once every gateway that runs has read it', async () => {
    const url = await createUrl();
    // Closed before the test ends.
    const gateway = await openStore(url, 'gateway');
    const command = await open(url);
    // Nobody runs yet.
    await addLine(command);
    expect(await command.untilFollowed()).toBe(true);
    let loads = 0;
    let mayLoad: Promise<unknown> = Promise.resolve();
    await followRegistry(
      gateway,
      () => mayLoad.then(() => void loads++),
      () => undefined,
    );
    await addLine(command, '1');
    // By then it listens.
    await until(() => loads === 2);
    expect(await command.untilFollowed()).toBe(true);
    let letLoad = (_?: unknown) => {};
    mayLoad = new Promise((resolve) => (letLoad = resolve));
    await addLine(command, '2');
    expect(await command.untilFollowed(600)).toBe(false);
    letLoad();
    expect(await command.untilFollowed()).toBe(true);
    mayLoad = new Promise(() => {});
    await addLine(command, '3');
    const waited = command.untilFollowed();
    // One that ends is waited for no longer.
    await gateway.close();
    expect(await waited).toBe(true);
  });

  test('is read again at once by whoever changed it, and not at all while nothing has changed', async () => {
    const store = await open(await createUrl());
    let loads = 0;
    let lines = 0;
    const registry = await followRegistry(
      store,
      async () => {
        loads++;
        lines = (await store.lines.all()).length;
      },
      () => undefined,
    );
    await registry.refresh();
    expect(loads).toBe(1);
    await addLine(store);
    await Promise.all(Array.from({ length: 20 }, () => registry.refresh()));
    expect(lines).toBe(1);
    expect(loads).toBe(2);
  });

  test('that cannot be read tells so, keeps what is in memory, and is read at the next glance', async () => {
    const store = await open(await createUrl());
    let fails = false;
    let seen = -1;
    const failures: unknown[] = [];
    await followRegistry(
      store,
      async () => {
        if (fails) throw new Error('not now');
        seen = (await store.lines.all()).length;
      },
      (error) => failures.push(error),
    );
    fails = true;
    await addLine(store);
    await until(() => failures.length > 0);
    expect(seen).toBe(0);
    fails = false;
    await until(() => seen === 1);
  });
});

describe.each(DATABASES)('the start of a refresh ($name)', ({ createUrl }) => {
  const open = openStores();

  test('is granted again after the cooldown, for each kind on its own', async () => {
    const store = await open(await createUrl());
    const line = await addLine(store);
    expect(await store.lines.startRefresh(line, 'templates', 'person', at(100), at(40))).toBe(true);
    expect(await store.lines.startRefresh(line, 'templates', 'person', at(159), at(99))).toBe(false);
    expect(await store.lines.startRefresh(line, 'status', 'person', at(159), at(99))).toBe(true);
    expect(await store.lines.startRefresh(line, 'templates', 'person', at(160), at(100))).toBe(true);
    expect(await store.lines.refreshedAt(line, 'templates', 'person')).toBe(at(160));
    // The gateway by itself waits for whoever asked before, and keeps no person waiting.
    expect(await store.lines.startRefresh(line, 'templates', 'gateway', at(219), at(159))).toBe(false);
    expect(await store.lines.startRefresh(line, 'templates', 'gateway', at(220), at(160))).toBe(true);
    expect(await store.lines.startRefresh(line, 'templates', 'person', at(221), at(161))).toBe(true);
    expect(await store.lines.startRefresh(line + 1, 'templates', 'person', at(100), at(40))).toBe(false);
  });
});
