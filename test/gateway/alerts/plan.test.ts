import { type Condition } from '../../../gateway/alerts/conditions/condition';
import {
  byScope,
  incidentChanges,
  planFor,
  type ChannelView,
  type PlannedNotice,
} from '../../../gateway/alerts/plan';
import { rulesOf } from '../../../gateway/alerts/rules';
import {
  type ChannelRow,
  type IncidentRow,
  type MuteRow,
  type NoticeRow,
  type ToldRow,
} from '../../../gateway/store/tables/alerts';
import { HOUR, isoTime, MINUTE, SECOND } from '../../../gateway/time';

/** Noon in UTC, 9 o'clock in São Paulo. */
const START = Date.parse('2026-03-10T12:00:00.000Z');

const channelRow = (more: Partial<ChannelRow> = {}): ChannelRow => ({
  id: 1,
  kind: 'webhook',
  name: 'Ours',
  settings_sealed: '',
  scope: 'gateway',
  scope_id: null,
  origin: 'operator',
  token_id: null,
  admin_token_id: null,
  quiet_from: null,
  quiet_to: null,
  time_zone: 'UTC',
  remind_hours: null,
  created_at: isoTime(START),
  expires_at: null,
  paused_at: null,
  failing_since: null,
  last_failure: null,
  last_told_at: null,
  failure: null,
  language: 'en',
  ...more,
});

const failing = (id: number, since: number, more: Partial<Condition> = {}): Condition =>
  ({
    kind: 'destination_failing',
    values: {
      place: { line: null, lineId: 1, address: String(id) },
      last: null,
      because: null,
      isRegistered: false,
    },
    subject: String(id),
    lineId: 1,
    wabaId: '1',
    severity: 'critical',
    since: isoTime(since),
    waiting: 1,
    isTold: true,
    ...more,
  }) as Condition;

const pathOf = () => '/panel/events';

interface Sent extends PlannedNotice {
  at: number;
}

/** Looks each ten seconds, as the gateway does, with the rows that it would have stored. */
function world(channel: ChannelRow = channelRow(), mutes: MuteRow[] = []) {
  const rules = rulesOf([]);
  const all: IncidentRow[] = [];
  let told = new Map<string, ToldRow>();
  const sent: Sent[] = [];
  const waiting = new Map<string, NoticeRow['what']>();
  const changed: Partial<Pick<ChannelView, 'ruleChanges'>> & { isOut?: boolean } = {};
  let now = START;

  function look(conditions: Condition[]): void {
    const { opened, closed, updated } = incidentChanges(
      all.filter((one) => one.closed_at === null),
      { conditions, rules, now, process: null, pathOf },
    );
    for (const one of all) if (closed.includes(one.id)) one.closed_at = isoTime(now);
    for (const one of all) Object.assign(one, updated.get(one.id));
    for (const one of opened) all.push({ ...one, id: all.length + 1, closed_at: null } as IncidentRow);
    const open = all.filter((one) => one.closed_at === null);
    const plan = planFor(
      {
        channel,
        open: changed.isOut ? [] : open,
        isOpen: (key) => open.some((one) => `${one.kind} ${one.subject}` === key),
        told: [...told.values()],
        mutes: mutes.filter(({ until }) => until > isoTime(now)),
        rules,
        ruleChanges: changed.ruleChanges ?? [],
        sent: sent.map((one) => ({ ...one, created_at: isoTime(one.at) })),
        waiting,
        newId: () => `alrt_${sent.length}_${Math.random()}`,
        now,
      },
      new Map(all.filter((one) => one.closed_at !== null).map((one) => [one.id, one])),
    );
    sent.push(...plan.notices.map((one) => ({ ...one, at: now })));
    for (const id of plan.dropped) waiting.delete(id);
    const key = (row: ToldRow) => `${row.kind} ${row.subject}`;
    for (const row of plan.told) told.set(key(row), row);
    const forgotten = new Set(plan.forgotten.map(key));
    told = new Map([...told].filter(([one]) => !forgotten.has(one)));
  }

  return {
    sent,
    all,
    waiting,
    changed,
    setBack(by: number): void {
      now -= by;
    },
    /** Lets time pass. @param conditionsAt what is so at each moment */
    pass(duration: number, conditionsAt: (now: number) => Condition[]): void {
      for (const end = now + duration; now < end; now += 10 * SECOND) look(conditionsAt(now));
    },
  };
}

const words = (sent: Sent[]) => sent.map(({ what, ids }) => `${what} ${ids.length}`);

test('what lasts for long enough is told once, within a minute of that, and so is that it is over', () => {
  const { sent, all, pass } = world();
  pass(10 * MINUTE, () => [failing(1, START)]);
  expect(words(sent)).toEqual(['opened 1']);
  // Two minutes are its threshold.
  expect(sent[0]?.at).toBeLessThanOrEqual(START + 3 * MINUTE);
  pass(10 * MINUTE, () => []);
  expect(words(sent)).toEqual(['opened 1', 'recovered 1']);
  expect(sent[1]?.at).toBeLessThanOrEqual(START + 11 * MINUTE);
  expect(all).toHaveLength(1);
});

test('a clock that was ahead and is set right keeps nothing from being told', () => {
  const gathered = world();
  gathered.pass(2 * MINUTE + 10 * SECOND, () => [failing(1, START)]);
  gathered.setBack(24 * HOUR);
  gathered.pass(MINUTE, () => [failing(1, START), failing(2, START)]);
  expect(words(gathered.sent)).toEqual(['opened 2']);

  const { sent, pass, setBack } = world();
  pass(10 * MINUTE, () => [failing(1, START)]);
  pass(10 * MINUTE, () => []);
  pass(10 * MINUTE, (now) => (now < START + 28 * MINUTE ? [failing(1, START)] : []));
  pass(MINUTE, () => [failing(1, START)]);
  setBack(24 * HOUR);
  expect(words(sent)).toEqual(['opened 1', 'recovered 1', 'opened 1']);
  pass(MINUTE, () => []);
  expect(words(sent).slice(3)).toEqual(['recovered 1']);
});

test('a line that was restricted and is disconnected now is told as that alone, and as over once it is not', () => {
  const { sent, pass } = world();
  const line = { subject: '1', since: isoTime(START), values: { name: 'Shop', status: 'FLAGGED' } };
  pass(MINUTE, () => [failing(1, START, { ...line, kind: 'line_restricted', severity: 'warning' })]);
  pass(10 * MINUTE, () => [failing(1, START, { ...line, kind: 'line_disconnected' })]);
  pass(MINUTE, () => []);
  expect(sent.map(({ what, kind }) => `${what} ${kind}`)).toEqual([
    'opened line_restricted',
    'opened line_disconnected',
    'recovered line_disconnected',
  ]);
});

test('what is over before that is neither an incident nor told', () => {
  const { sent, all, pass } = world();
  pass(MINUTE, () => [failing(1, START)]);
  pass(5 * MINUTE, () => []);
  expect([sent, all]).toEqual([[], []]);
});

test('a thousand destinations that fail for one cause, seen within seconds, make one notice that says so', () => {
  const { sent, all, pass } = world();
  const many = Array.from({ length: 1_000 }, (_, id) => failing(id, START + (id % 15) * SECOND));
  pass(HOUR, () => many);
  expect(all).toHaveLength(1_000);
  expect(words(sent)).toEqual(['opened 1000']);
  pass(HOUR, () => []);
  expect(words(sent)).toEqual(['opened 1000', 'recovered 1000']);
});

test('a thousand that fail one after the other within an hour make a few notices, and none is forgotten', () => {
  const { sent, pass } = world();
  const many = Array.from({ length: 1_000 }, (_, id) => failing(id, START + id * 3.6 * SECOND));
  pass(2 * HOUR, (now) => many.filter(({ since }) => since <= isoTime(now)));
  expect(sent.length).toBeLessThanOrEqual(8);
  expect(sent.reduce((sum, { ids }) => sum + ids.length, 0)).toBe(1_000);
});

test('one that flaps all day long is told at most three times an hour, and in the end as it is', () => {
  const { sent, all, pass } = world();
  // Three minutes of failures, three without, again and again.
  pass(12 * HOUR, (now) => {
    const turn = 6 * MINUTE * Math.floor((now - START) / (6 * MINUTE));
    return (now - START) % (6 * MINUTE) < 3 * MINUTE ? [failing(1, START + turn)] : [];
  });
  pass(2 * HOUR, () => []);
  expect(all.length).toBeGreaterThan(100);
  for (const { at } of sent)
    expect(sent.filter((other) => other.at > at - HOUR && other.at <= at).length).toBeLessThanOrEqual(3);
  expect(sent.length).toBeGreaterThan(12);
  expect(sent.at(-1)?.what).toBe('recovered');
});

test('quiet hours hold back what is not critical until their end, also over midnight and in their own zone', () => {
  const quiet = channelRow({ quiet_from: '22:00', quiet_to: '07:30', time_zone: 'America/Sao_Paulo' });
  const { sent, pass } = world(quiet);
  const evening = START + 14 * HOUR;
  pass(14 * HOUR, () => []);
  const values = { name: 'Shop', limit: 250, before: 1_000 };
  const late = failing(7, evening, { kind: 'line_limit', values, severity: 'warning' });
  const gone = failing(8, evening, { kind: 'line_limit', values, severity: 'warning' });
  pass(HOUR, () => [late, gone, failing(1, evening)]);
  expect(sent.map(({ kind }) => kind)).toEqual(['destination_failing']);
  pass(10 * HOUR, () => [late]);
  // Half past ten in UTC. The one that was over by then is not told at all.
  expect(sent.slice(1).map(({ what, kind, ids }) => [what, kind, ids.length])).toEqual([
    ['recovered', 'destination_failing', 1],
    ['opened', 'line_limit', 1],
  ]);
  expect(sent[2]?.at).toBe(Date.parse('2026-03-11T10:30:00.000Z'));
});

test('what is still wrong is told again after the hours that the channel says', () => {
  const { sent, pass } = world(channelRow({ remind_hours: 4 }));
  pass(13 * HOUR, () => [failing(1, START)]);
  expect(words(sent)).toEqual(['opened 1', 'reminder 1', 'reminder 1', 'reminder 1']);
});

test('what becomes more urgent by steps is told at each; what is only for information is not told again', () => {
  const { sent, pass } = world(channelRow({ remind_hours: 4 }));
  for (const severity of ['info', 'warning', 'critical'] as const)
    pass(3 * HOUR, () => [failing(1, START, { severity })]);
  expect(words(sent)).toEqual(['opened 1', 'escalated 1', 'escalated 1']);
  const informed = world(channelRow({ remind_hours: 4 }));
  informed.pass(13 * HOUR, () => [failing(1, START, { severity: 'info' })]);
  expect(words(informed.sent)).toEqual(['opened 1']);
});

test('what is muted is not told until the mute ends; that it is over is told to who knew of it', () => {
  const until = isoTime(START + HOUR);
  const mute = {
    id: 1,
    kind: null,
    subject: null,
    line_id: 1,
    what: '',
    who: '',
    created_at: '',
    facts: null,
    until,
  };
  const { sent, pass } = world(channelRow(), [mute]);
  pass(59 * MINUTE, () => [failing(1, START)]);
  expect(sent).toEqual([]);
  pass(2 * MINUTE, () => [failing(1, START)]);
  expect(words(sent)).toEqual(['opened 1']);
});

test('a channel of a line hears of it and its account, one of an account of its lines, and none of its own failure', () => {
  const of = (scope: ChannelRow['scope'], id: string) => channelRow({ scope, scope_id: id });
  const incident = (kind: string, subject: string, line_id: number | null, waba_id: string | null) =>
    ({ kind, subject, line_id, waba_id }) as IncidentRow;
  const heard = byScope(
    [
      incident('line_quality', '1', 1, '77'),
      incident('line_quality', '3', 3, '77'),
      incident('template_stopped', 'promo', null, '77'),
      { ...incident('template_stopped', 'own', null, '77'), facts: JSON.stringify({ customerId: 2 }) },
      incident('disk_short', 'one', null, null),
      incident('channel_failing', '1', null, null),
    ],
    (lineId) => {
      const wabaId = { 1: '77', 2: '78', 3: '77', 4: '77' }[lineId];
      return wabaId === undefined ? null : { wabaId, customerId: lineId >= 3 ? 2 : 1 };
    },
  );
  const kinds = (channel: ChannelRow) => heard(channel).map(({ kind, subject }) => `${kind} ${subject}`);
  const [one, three, promo] = ['line_quality 1', 'line_quality 3', 'template_stopped promo'];
  const own = 'template_stopped own';
  expect(kinds(of('line', '1'))).toEqual([one, promo]);
  expect(kinds(of('line', '2'))).toEqual([]);
  expect(kinds(of('line', '3'))).toEqual([three, promo, own]);
  expect(kinds(of('line', '4'))).toEqual([promo, own]);
  expect(kinds(of('account', '77'))).toEqual([one, three, promo, own]);
  expect(kinds(of('account', '78'))).toEqual([]);
  expect(kinds(channelRow())).toEqual([one, three, promo, own, 'disk_short one']);
  expect(kinds(channelRow({ id: 2 }))).toContain('channel_failing 1');
});

test('an incident that only another process sees is left open by those that do not', () => {
  const open = [{ kind: 'disk_short', subject: 'one', process: 'one', id: 1 } as IncidentRow];
  const seen = { conditions: [], rules: rulesOf([]), now: START, pathOf };
  expect(incidentChanges(open, { ...seen, process: 'two' }).closed).toEqual([]);
  expect(incidentChanges(open, { ...seen, process: null }).closed).toEqual([]);
  expect(incidentChanges(open, { ...seen, process: 'one' }).closed).toEqual([1]);
});

test('what an operator has switched off is neither opened nor told as over', () => {
  const rules = rulesOf([{ kind: 'destination_failing', is_on: 0, threshold: null }]);
  const { opened } = incidentChanges([], {
    conditions: [failing(1, START - HOUR)],
    rules,
    pathOf,
    now: START,
    process: null,
  });
  expect(opened).toEqual([]);
  const row = {
    channel_id: 1,
    kind: 'destination_failing',
    subject: '1',
    incident_id: 9,
    state: 'open',
    told_at: isoTime(START - HOUR),
    times: '[]',
    notice_id: null,
    severity: null,
  } as ToldRow;
  const view = {
    ...{ channel: channelRow(), open: [], isOpen: () => false, told: [row], mutes: [], rules, sent: [] },
    ...{ ruleChanges: [], waiting: new Map(), newId: () => 'alrt_1', now: START },
  };
  expect(planFor(view, new Map([[9, { severity: 'critical', closed_at: isoTime(START) }]]))).toEqual({
    ...{ notices: [], dropped: [], told: [], forgotten: [row] },
  });
});

test('what grows worse is told once as such; other words or numbers are kept, and told by nobody', () => {
  const { sent, all, pass } = world();
  const rated = (severity: Condition['severity'], name: string) =>
    failing(1, START, {
      ...{ kind: 'line_quality', values: { name, isLow: severity === 'critical' } },
      ...{ severity, waiting: null },
    });
  pass(10 * MINUTE, (now) => [rated('warning', isoTime(now))]);
  expect(words(sent)).toEqual(['opened 1']);
  expect(all).toMatchObject([
    {
      title: `The quality of ${isoTime(START + 10 * MINUTE - 10 * SECOND)} dropped to medium`,
      severity: 'warning',
    },
  ]);
  pass(10 * MINUTE, () => [rated('critical', 'Shop')]);
  expect(words(sent)).toEqual(['opened 1', 'escalated 1']);
  expect(all).toMatchObject([{ title: 'The quality of Shop is low', severity: 'critical', closed_at: null }]);
  // Back and forth is no news.
  pass(10 * MINUTE, () => [rated('warning', '')]);
  pass(10 * MINUTE, () => [rated('critical', '')]);
  expect(words(sent)).toEqual(['opened 1', 'escalated 1']);
});

test('a destination that fails and is paused then is one story: not told as over before it is', () => {
  const { sent, pass } = world();
  const paused = failing(1, START, { kind: 'destination_paused', severity: 'warning' });
  pass(10 * MINUTE, () => [failing(1, START)]);
  pass(10 * MINUTE, () => [paused]);
  pass(10 * MINUTE, () => []);
  expect(sent.map(({ what, kind }) => `${what} ${kind}`)).toEqual([
    'opened destination_failing',
    'opened destination_paused',
    'recovered destination_paused',
  ]);
});

test("what is out of a channel's scope, or ends by a change of its rule, is not told as over", () => {
  const narrowed = world();
  narrowed.pass(10 * MINUTE, () => [failing(1, START)]);
  narrowed.changed.isOut = true;
  narrowed.pass(10 * MINUTE, () => [failing(1, START)]);
  narrowed.pass(10 * MINUTE, () => []);
  expect(words(narrowed.sent)).toEqual(['opened 1']);

  const ruled = world();
  ruled.pass(10 * MINUTE, () => [failing(1, START)]);
  ruled.changed.ruleChanges = [{ subject: 'destination_failing', at: isoTime(START + 10 * MINUTE - SECOND) }];
  ruled.pass(10 * MINUTE, () => []);
  expect(words(ruled.sent)).toEqual(['opened 1']);
});

test('what could not be told before it was over is told once, as over', () => {
  const { sent, waiting, pass } = world();
  pass(3 * MINUTE, () => [failing(1, START)]);
  const [opened] = sent;
  waiting.set(opened?.id ?? '', 'opened');
  pass(5 * MINUTE, () => []);
  expect(sent.map(({ what, isNews }) => [what, isNews])).toEqual([
    ['opened', false],
    ['recovered', true],
  ]);
  expect(waiting.size).toBe(0);
});

test('what a process cannot know yet after its start stays as it was', () => {
  const open = [{ kind: 'backup_failed', subject: 'one', process: 'one', id: 1 } as IncidentRow];
  const seen = { conditions: [], rules: rulesOf([]), now: START, process: 'one', pathOf };
  expect(incidentChanges(open, { ...seen, unknown: new Set(['backup_failed']) }).closed).toEqual([]);
  expect(incidentChanges(open, seen).closed).toEqual([1]);
});
