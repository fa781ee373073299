import { channelConditions } from '../../../gateway/alerts/conditions/channels';
import { type Condition } from '../../../gateway/alerts/conditions/condition';
import {
  destinationConditions,
  type DestinationFacts,
} from '../../../gateway/alerts/conditions/destinations';
import { type LineChecks } from '../../../gateway/lines/checks/line-checks';
import {
  healthOf,
  lineConditions,
  markKey,
  type LineFacts,
  type Mark,
} from '../../../gateway/alerts/conditions/lines';
import {
  newRoleMarks,
  processConditions,
  roleConditions,
} from '../../../gateway/alerts/conditions/processes';
import { templateConditions } from '../../../gateway/alerts/conditions/templates';
import { tokenConditions } from '../../../gateway/alerts/conditions/tokens';
import { incidentChanges } from '../../../gateway/alerts/plan';
import { rulesOf } from '../../../gateway/alerts/rules';
import { type Outcome } from '../../../gateway/forwarding/deliver';
import { DestinationHealth } from '../../../gateway/forwarding/queue/health';
import { type PhoneNumberNode } from '../../../gateway/cloud-api/phone-number';
import { type Line } from '../../../gateway/lines/line';
import { type ChannelRow } from '../../../gateway/store/tables/alerts';
import { type DestinationRow } from '../../../gateway/store/tables/destinations';
import { type TokenRow } from '../../../gateway/store/tables/tokens';
import { DAY, isoTime, MINUTE, SECOND } from '../../../gateway/time';
import { sayAlert } from '../../../gateway/wording/say';

const START = Date.parse('2026-03-10T12:00:00.000Z');
const rules = rulesOf([]);
const line = { id: 1, name: 'Lucky Shrub', wabaId: '77', isActive: true } as Line;

test('a process that is gone is told after a minute, for a day', () => {
  const mark = { kind: 'process_gone', subject: 'host:8080', value: '', at: isoTime(START) };
  const told = (after: number) =>
    processConditions([mark, { ...mark, kind: 'rule' }], rules, START + after).map(
      (one) => sayAlert('en', one).title,
    );
  expect([told(MINUTE - 1), told(DAY)]).toEqual([[], []]);
  for (const after of [MINUTE, DAY - 1]) expect(told(after)).toEqual(['The process host:8080 is gone']);
});

test('a role that no process has is told after a minute, until a process has it again', () => {
  const api = { roles: 'api,inbound,panel' };
  const earlier = { roles: null };
  const marks = new Map<string, Mark>();
  const look = (processes: { roles: string | null }[], after: number) => {
    const facts = { processes, marks, now: START + after };
    const told = roleConditions(facts, rules);
    const seen = newRoleMarks(facts);
    for (const mark of seen) marks.set(markKey(mark), mark);
    return [told.map((one) => `${one.severity}: ${sayAlert('en', one).title}`), seen.length];
  };
  expect(look([api, earlier], 0)).toEqual([[], 0]);
  expect(look([api], 0)).toEqual([[], 1]);
  expect(look([api], MINUTE - 1)).toEqual([[], 0]);
  expect(look([api], MINUTE)).toEqual([['critical: No process has the role deliver'], 0]);
  expect(look([api, { roles: 'deliver' }], MINUTE + 1)).toEqual([[], 1]);
  // Once more a minute, when it is missing once more.
  expect(look([api], 2 * MINUTE)).toEqual([[], 1]);
  expect(look([api], 3 * MINUTE)).toEqual([['critical: No process has the role deliver'], 0]);
});

/** What is said of them. */
const said = (conditions: Condition[]) => conditions.map((one) => sayAlert('en', one));

describe('a destination', () => {
  const row = {
    ...{ id: 3, line_id: 1, url: 'https://hooks.example.com/a-secret' },
    ...{ paused_because: null, paused_fact: null, last_failure: null },
  } as DestinationRow;
  const healthy = { ...row, paused_at: null, paused_fact: null, failing_since: null, last_failure: null };
  const found = (facts: Partial<DestinationFacts>) =>
    destinationConditions({
      ...{ destinations: [healthy], lineById: () => line, givenUp: [], ending: [] },
      ...{ oldestDueAt: null, now: START },
      ...facts,
    });

  /** Lets attempts come to an end (seconds, from the first one), and looks each ten seconds. @returns when an incident began */
  function told(attempts: [at: number, word: Outcome['outcome']][], until: number): number[] {
    const health = new DestinationHealth();
    const known = { ...healthy, last_failure: null as string | null, failing_since: null as string | null };
    const began: number[] = [];
    let open: Parameters<typeof incidentChanges>[0] = [];
    for (let second = 0; second <= until; second++) {
      const now = START + second * SECOND;
      for (const [, word] of attempts.filter(([at]) => at === second)) {
        const outcome = {
          outcome: word,
          httpStatus: word === 'delivered' ? 200 : null,
          durationMs: 20 * SECOND,
        };
        const { note } = health.judge(
          'evt_1',
          { ...outcome, startedAt: 0, retryAfter: null, answer: '' },
          1,
          now,
        );
        if (note) Object.assign(known, note);
      }
      if (second % 10) continue;
      const conditions = found({ destinations: [known], now });
      const { opened, closed } = incidentChanges(open, {
        conditions,
        rules,
        now,
        process: null,
        pathOf: () => '',
      });
      began.push(...opened.map(() => second));
      open = [
        ...open.filter(({ id }) => !closed.includes(id)),
        ...opened.map((one, index) => ({
          ...one,
          id: second + index,
          closed_at: null,
          process: null,
          line_id: 1,
        })),
      ] as typeof open;
    }
    return began;
  }

  test('that once answers too late is not told; one that still does after two minutes is, once', () => {
    // As it is tried again: 5 seconds after the first time-out of 20, then 30, then 2 minutes.
    expect(
      told(
        [
          [20, 'timeout'],
          [26, 'delivered'],
        ],
        600,
      ),
    ).toEqual([]);
    expect(
      told(
        [
          [20, 'timeout'],
          [45, 'timeout'],
          [76, 'delivered'],
        ],
        600,
      ),
    ).toEqual([]);
    expect(
      told(
        [
          [20, 'timeout'],
          [45, 'timeout'],
          [95, 'timeout'],
          [235, 'timeout'],
        ],
        600,
      ),
    ).toEqual([140]);
  });

  test('that is paused is told as that, and no longer as failing; its address shows no secret', () => {
    const since = isoTime(START);
    const paused = {
      ...row,
      paused_at: since,
      paused_because: 'It answered 410 Gone.',
      failing_since: since,
    };
    const all = found({ destinations: [paused] });
    expect(all).toMatchObject([
      { kind: 'destination_paused', values: { place: { address: 'hooks.example.com' } } },
    ]);
    expect(JSON.stringify(all)).not.toContain('a-secret');
  });

  test('that a token registered may be an n8n that moved: it says what to do', () => {
    const since = isoTime(START);
    const moved = expect.stringMatching(/Was n8n's address changed\?.* publish it again, which discards/);
    for (const state of [{ failing_since: since }, { paused_at: since }])
      for (const [origin, action] of [
        ['token', moved],
        ['operator', expect.not.stringContaining('n8n')],
      ] as const)
        expect(said(found({ destinations: [{ ...healthy, ...state, origin }] }))).toMatchObject([{ action }]);
  });

  test.each([
    [1, 'one delivery was given up in the last day'],
    [2, '2 deliveries were given up in the last day'],
    [1_000, '1,000 or more deliveries were given up in the last day'],
  ])('of which %d deliveries were given up is told with how many', (count, words) => {
    const given = { destination_id: 3, count, first: isoTime(START), latest: isoTime(START) };
    expect(said(found({ givenUp: [given] }))).toMatchObject([
      { title: `Lucky Shrub: hooks.example.com: ${words}` },
    ]);
  });
});

test('deliveries are late five minutes after the oldest was due, once nothing holds it up', () => {
  const at = (minutes: number) => {
    const now = START + minutes * MINUTE;
    const facts = { destinations: [], lineById: () => null, givenUp: [], ending: [] };
    const conditions = destinationConditions({ ...facts, oldestDueAt: isoTime(START), now });
    return incidentChanges([], { conditions, rules, now, process: null, pathOf: () => '' }).opened.map(
      ({ kind }) => kind,
    );
  };
  expect([at(4.9), at(5)]).toEqual([[], ['deliveries_late']]);
});

describe('a token', () => {
  const row = (more: Partial<TokenRow> = {}): TokenRow =>
    ({
      ...{ id: 5, line_id: 1, name: 'CRM', last_four: 'abcd', created_at: isoTime(START), first_id: null },
      ...{ expires_at: null, last_used_at: isoTime(START), ...more },
    }) as TokenRow;
  const told = (tokens: TokenRow[], now = START, lines = [line]) =>
    tokenConditions({ lines, tokens, rules, now }).map((one) => [
      one.kind,
      one.severity,
      sayAlert('en', one).title,
    ]);
  const name = 'Lucky Shrub: token CRM …abcd';

  test('that expires within a week is told, and more urgently once it has expired', () => {
    expect(told([row({ expires_at: isoTime(START + 7 * DAY + 1) })])).toEqual([]);
    expect(told([row({ expires_at: isoTime(START + 7 * DAY) })])).toEqual([
      ['token_expiring', 'warning', `${name} expires in 7 days`],
    ]);
    expect(told([row({ expires_at: isoTime(START) })])).toEqual([
      ['token_expiring', 'critical', `${name} has expired`],
    ]);
  });

  test('that another has replaced, or whose line is off, is not told', () => {
    const old = row({ expires_at: isoTime(START + DAY) });
    expect(told([old, row({ id: 6, first_id: 5 })])).toEqual([]);
    expect(told([old], START, [{ ...line, isActive: false }])).toEqual([]);
  });

  test('that nothing has used for 90 days is told, counted from when it was made where it never was', () => {
    const late = START + 90 * DAY;
    expect(told([row()], late - 1)).toEqual([]);
    expect(told([row(), row({ id: 6, last_used_at: null })], late)).toEqual([
      ['token_unused', 'info', `${name} is not used`],
      ['token_unused', 'info', `${name} is not used`],
    ]);
    // Of one that has expired that is told instead.
    expect(told([row({ expires_at: isoTime(late) })], late).map(([kind]) => kind)).toEqual([
      'token_expiring',
    ]);
  });
});

test("a customer's template concerns only that customer's lines of a shared account", () => {
  const lines = [1, 2, 3].map((id) => ({ ...line, id, name: `Line ${id}`, customerId: id > 1 ? 8 : 7 }));
  const mark = { kind: 'templates', subject: '77', value: '[]', at: isoTime(START) };
  const found = (owner: number | null) =>
    templateConditions({
      ...{ lines, marks: new Map([[markKey(mark), mark]]), now: START },
      templates: [
        {
          name: 'promo',
          language: 'en',
          upstream_status: 'REJECTED',
          status_at: null,
          owner,
          line_id: owner === 7 ? 1 : 2,
        },
      ],
    });
  expect(found(null)).toMatchObject([{ lineId: null, wabaId: '77' }]);
  expect(found(null)[0]).not.toHaveProperty('customerId');
  expect(found(7)).toMatchObject([{ lineId: 1, customerId: 7 }]);
  expect(found(8)).toMatchObject([{ lineId: null, wabaId: '77', customerId: 8 }]);
  expect(said(found(7))[0]?.title).toContain('Line 1');
});

test('a channel that takes nothing for two minutes is told, unless it is paused', () => {
  const row = {
    id: 9,
    name: 'Ours',
    failing_since: isoTime(START),
    failure: null,
    last_failure: 'HTTP 500',
    paused_at: null,
  };
  const told = (more: Partial<ChannelRow>, now: number) =>
    channelConditions([{ ...row, ...more } as ChannelRow], now).map((one) => [
      one.kind,
      one.subject,
      sayAlert('en', one).text,
    ]);
  expect(told({}, START + 2 * MINUTE - 1)).toEqual([]);
  expect(told({}, START + 2 * MINUTE)).toEqual([['channel_failing', '9', 'HTTP 500']]);
  expect(told({ paused_at: isoTime(START) }, START + 2 * MINUTE)).toEqual([]);
  expect(told({ failing_since: null }, START + 2 * MINUTE)).toEqual([]);
});

describe('the checks of a line', () => {
  const read = (checks: Partial<LineChecks>, upstream: PhoneNumberNode = { status: 'CONNECTED' }) =>
    lineConditions({
      ...{ lines: [{ ...line, accessToken: 'EAAG', upstream } as Line], now: START },
      ...{ refused: new Map(), marks: new Map(), notCalled: new Set() },
      checks: new Map([[line.id, { at: isoTime(START), ...checks } as LineChecks]]),
    });

  test('that stop the line are one alert, which says all of them', () => {
    expect(read({ isSubscribed: { value: true } })).toEqual([]);
    const found = read(
      { isSubscribed: { value: false }, hasPaymentMethod: { value: false } },
      { status: 'CONNECTED', platform_type: 'NOT_APPLICABLE' },
    );
    expect(found).toMatchObject([{ kind: 'line_setup', severity: 'critical', subject: '1', lineId: 1 }]);
    expect(said(found)[0]?.text).toMatch(/not registered .+ No app is subscribed .+ no payment method/);
    expect(read({ isSubscribed: { unread: { lacks: 'a_scope' } } })).toEqual([]);
  });

  test.each([
    [61, undefined],
    [60, 'info'],
    [15, 'info'],
    [14, 'warning'],
    [4, 'warning'],
    [3, 'critical'],
    [-1, 'critical'],
  ])('report %d days before the access token expires, more urgently at 14 and at 3', (days, severity) => {
    const value = {
      ...{ isValid: true, type: null, scopes: null, holdsAccount: null },
      expiresAt: isoTime(START + days * DAY),
    };
    const found = read({ token: { value } });
    expect(found.map((one) => [one.kind, one.severity])).toEqual(
      severity ? [['access_token_expiring', severity]] : [],
    );
    if (severity)
      expect(said(found)[0]?.title).toBe(
        days < 0
          ? 'The access token of Lucky Shrub has expired'
          : `The access token of Lucky Shrub expires in ${days} days`,
      );
  });
});

describe('the health of a line is that of its alerts', () => {
  const facts: LineFacts = {
    ...{ lines: [], refused: new Map(), marks: new Map(), now: START },
    ...{ checks: new Map(), notCalled: new Set() },
  };
  const read = (hasPaymentMethod: boolean | null, isSubscribed = true) => ({
    checks: new Map([
      [
        1,
        {
          hasPaymentMethod: { value: hasPaymentMethod },
          isSubscribed: { value: isSubscribed },
        } as LineChecks,
      ],
    ]),
  });
  const unregistered = { platform_type: 'NOT_APPLICABLE' };
  const refused = new Map([[1, { credentials_refused_at: null, credentials_refused_because: 'Expired' }]]);
  const account = {
    ...{ kind: 'account', subject: '77', at: isoTime(START) },
    value: JSON.stringify({ sentence: 'It is disabled.', until: isoTime(START + DAY) }),
  };
  const connected = {
    ...line,
    accessToken: 'EAAG',
    upstream: { status: 'CONNECTED', quality_rating: 'GREEN' },
  };

  test.each<[ReturnType<typeof healthOf>, string | undefined, Partial<Line>, Partial<LineFacts>]>([
    ['connected', undefined, {}, {}],
    ['unknown', undefined, { upstream: null }, {}],
    ['deactivated', undefined, { isActive: false, accessToken: null }, { refused }],
    ['no_credentials', 'line_credentials', { accessToken: null, upstream: null }, {}],
    ['credentials_refused', 'line_credentials', {}, { refused }],
    ['account_restricted', 'line_restricted', {}, { marks: new Map([[markKey(account), account]]) }],
    ['connected', undefined, {}, { marks: new Map([[markKey(account), account]]), now: START + DAY }],
    ['disconnected', 'line_disconnected', { upstream: { status: 'BANNED' } }, {}],
    ['pending', 'line_disconnected', { upstream: { status: 'PENDING' } }, {}],
    ['not_registered', 'line_disconnected', { upstream: { status: 'PENDING', ...unregistered } }, {}],
    ['disconnected', 'line_disconnected', { upstream: { status: 'BANNED', ...unregistered } }, {}],
    ['no_payment_method', 'line_setup', {}, read(false)],
    ['no_payment_method', 'line_setup', {}, read(false, false)],
    ['no_webhook', 'line_setup', {}, read(null, false)],
    ['no_webhook', undefined, {}, { notCalled: new Set([1]) }],
    ['connected', undefined, {}, read(null)],
    ['credentials_refused', 'line_credentials', {}, { ...read(false), refused }],
    ['low_quality', 'line_quality', { upstream: { status: 'CONNECTED', quality_rating: 'RED' } }, {}],
    ...['RESTRICTED', 'FLAGGED', 'RATE_LIMITED', 'restricted'].map(
      (status) => ['restricted', 'line_restricted', { upstream: { status } }, {}] as never,
    ),
  ])('%s: %s', (health, kind, of, more) => {
    const one = { ...connected, ...of } as Line;
    const known = { ...facts, ...more, lines: [one] };
    expect([healthOf(one, known), lineConditions(known)[0]?.kind]).toEqual([health, kind]);
  });
});
