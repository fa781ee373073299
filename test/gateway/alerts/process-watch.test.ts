import { OwnWatch, type WatchedProcess } from '../../../gateway/alerts/process-watch';
import { PlatformReach } from '../../../gateway/cloud-api/reach';
import { rulesOf } from '../../../gateway/alerts/rules';
import { HOUR, isoTime, MINUTE, SECOND } from '../../../gateway/time';
import { type Shortage } from '../../../gateway/wording/facts';
import { sayAlert } from '../../../gateway/wording/say';

const START = Date.parse('2026-03-10T12:00:00.000Z');
const MEGABYTE = 1024 * 1024;

/** A process that nothing is wrong with, on a machine that a test changes. */
function watched() {
  const machine = {
    now: START,
    /** How far its clock is ahead of that of the database, and of the platform's (ms). */
    aheadOfDatabase: 0,
    aheadOfPlatform: 0,
    free: (5_000 * MEGABYTE) as number | null,
    memory: 0.5,
    shortages: [] as Shortage[],
  };
  const reach = new PlatformReach(() => machine.now);
  reach.answered();
  const given: WatchedProcess = {
    clock: () => machine.now,
    machine: () => machine.now,
    makesBackups: true,
    freeSpace: () => machine.free,
    shortages: () => machine.shortages,
    memoryLeft: () => machine.memory,
    databaseTime: () => machine.now - machine.aheadOfDatabase,
    platformTime: async () => machine.now - machine.aheadOfPlatform,
    reach,
  };
  const watch = new OwnWatch(given);
  const seen = () => watch.seen(rulesOf([]), 'one').conditions;
  const text = () => seen().map((one) => sayAlert('en', one).text)[0];
  return {
    machine,
    watch,
    reach,
    seen,
    text,
    unknown: () => [...watch.seen(rulesOf([]), 'one').unknown].toSorted(),
    /** What is told, after so long. */
    after: (duration = 0) => {
      machine.now += duration;
      return seen()
        .filter(({ isTold }) => isTold)
        .map((one) => [one.kind, sayAlert('en', one).title, one.since]);
    },
  };
}

test('nothing is told of a process that nothing is wrong with, nor where its disk is not known', () => {
  const { machine, after } = watched();
  expect(after()).toEqual([]);
  machine.free = null;
  expect(after(HOUR)).toEqual([]);
});

test('a disk below its bound is told at once, with what is left, until it has room again', () => {
  const { machine, after } = watched();
  machine.free = 1_024 * MEGABYTE;
  expect(after()).toEqual([]);
  machine.free = 1_023.9 * MEGABYTE;
  const told = ['disk_short', 'The disk of the database has 1,023 MB left', isoTime(START)];
  expect(after()).toEqual([told]);
  expect(after(HOUR)).toEqual([told]);
  machine.free = 2_000 * MEGABYTE;
  expect(after()).toEqual([]);
});

test('short memory is told once it lasts for half a minute, and is over only well above its bound', () => {
  const { machine, after } = watched();
  machine.memory = 0.09;
  expect(after()).toEqual([]);
  expect(after(29 * SECOND)).toEqual([]);
  expect(after(SECOND)).toEqual([['memory_short', 'one is short of memory', isoTime(START)]]);
  machine.memory = 0.12;
  expect(after(SECOND)).toHaveLength(1);
  machine.memory = 0.15;
  expect(after(SECOND)).toEqual([]);
  // Between the two bounds nothing begins.
  machine.memory = 0.12;
  expect(after(HOUR)).toEqual([]);
});

test('refused requests are told once that lasts for half a minute, with why', () => {
  const { machine, after, text } = watched();
  machine.shortages = ['event_loop', 'backlog'];
  expect(after()).toEqual([]);
  expect(after(30 * SECOND)).toEqual([['overloaded', 'one refuses requests', isoTime(START)]]);
  expect(text()).toBe(
    'Reason: it has more requests than it can answer in time, and its database is slower than incoming data.',
  );
  machine.shortages = [];
  expect(after()).toEqual([]);
});

test('a clock is told that is more than half a minute from the database, or from WhatsApp, either way', async () => {
  const { machine, after, text } = watched();
  machine.aheadOfDatabase = 30 * SECOND;
  expect(after()).toEqual([]);
  machine.aheadOfDatabase = -31 * SECOND;
  expect(after()).toMatchObject([['clocks_apart', 'The clock of one is wrong', isoTime(START)]]);
  expect(text()).toContain('It is 31 seconds behind the clock of the database.');
  machine.aheadOfDatabase = 0;
  machine.aheadOfPlatform = 90 * SECOND;
  // Asked each hour; what it says is known at the next look.
  expect(after(30 * MINUTE)).toEqual([]);
  expect(after(30 * MINUTE)).toEqual([]);
  await Promise.resolve();
  expect(after()).toHaveLength(1);
  expect(text()).toContain('It is 90 seconds ahead of the clock of WhatsApp.');
});

test('a backup that failed is told since the first time, until one was made', () => {
  const { machine, watch, after, text } = watched();
  watch.backedUp('no space left on device');
  machine.now += HOUR;
  watch.backedUp('permission denied');
  expect(after()).toEqual([['backup_failed', 'The daily backup failed', isoTime(START)]]);
  expect(text()).toBe('permission denied');
  watch.backedUp(null);
  expect(after()).toEqual([]);
});

test.each([
  ['wrong_password', 20, 'log_in_attack'],
  ['locked', 20, 'log_in_attack'],
  ['wrong_signature', 10, 'signature_attack'],
  ['wrong_token', 100, 'token_attack'],
])('%s more than %d times within 10 minutes is told as %s, until it stops', (word, most, kind) => {
  const { watch, after } = watched();
  const count = word.startsWith('wrong_p') || word === 'locked' ? watch.loggedIn : watch.suspected;
  // Log-ins that succeed count for nothing.
  for (let time = 0; time < 500; time++) watch.loggedIn('in');
  for (let time = 0; time < most; time++) count(word);
  expect(after(9 * MINUTE)).toEqual([]);
  count(word);
  expect(after()).toMatchObject([
    [kind, expect.stringContaining(`${most + 1} `), isoTime(START + 9 * MINUTE)],
  ]);
  expect(after(MINUTE)).toEqual([]);
});

test('a log-in of an owner with a password is told, if the others may not use one', () => {
  const { watch, after } = watched();
  watch.loggedIn('owner_password');
  expect(after()).toMatchObject([['owner_password', '1 owner logged in with a password', isoTime(START)]]);
  expect(after(10 * MINUTE)).toEqual([]);
});

test('of what a process before it may have seen, one that was just started says nothing', async () => {
  const { machine, watch, unknown } = watched();
  const attacks = ['log_in_attack', 'owner_password', 'signature_attack', 'token_attack'];
  expect(unknown()).toEqual(['backup_failed', 'clocks_apart', ...attacks].toSorted());
  await Promise.resolve();
  watch.backedUp(null);
  expect(unknown()).toEqual(attacks);
  machine.now += 10 * MINUTE - 1;
  expect(unknown()).toEqual(attacks);
  machine.now += 1;
  expect(unknown()).toEqual([]);
});

test('a platform that gave no answer three times in a row is told with the cause, until it answers', () => {
  const { reach, after, seen } = watched();
  const failed = (code: string) => reach.failed(Object.assign(new Error(), { code }));
  failed('ECONNREFUSED');
  failed('ECONNREFUSED');
  reach.answered();
  failed('ECONNREFUSED');
  failed('ETIMEDOUT');
  expect([after(HOUR), reach.isUp]).toEqual([[], true]);
  failed('DEPTH_ZERO_SELF_SIGNED_CERT');
  expect(reach.isUp).toBe(false);
  expect(after()).toEqual([['platform_away', 'one cannot reach WhatsApp', isoTime(START)]]);
  const [away] = seen();
  expect(away?.severity).toBe('critical');
  expect(away && sayAlert('en', away)).toMatchObject({
    text: 'Its certificate is self-signed. No message is sent until it answers.',
    action: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  });
  reach.answered();
  expect([after(), reach.isUp]).toEqual([[], true]);
});

test('of the platform nothing is said before it was called', () => {
  const machine = { now: START };
  const reach = new PlatformReach(() => machine.now);
  expect([reach.isKnown, reach.isUp]).toEqual([false, true]);
  reach.failed(new Error('broken'));
  expect(reach.away).toMatchObject({ failures: 1, because: 'broken' });
});
