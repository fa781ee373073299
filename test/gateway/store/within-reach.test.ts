import { sentTextSearch, textSearch } from '../../../gateway/messages/text-search';
import { type Reach } from '../../../gateway/rights/reach';
import { type WholeStore, type Store } from '../../../gateway/store/store';
import { DATABASES } from '../../support/databases';
import { at, openStores } from './support';
import { addCustomer, addOthers, ALIAS, changeContent, SHARED } from './two-customers';

const open = openStores();

const OWN = [1, 2];
const LINES = [...OWN, 3, 4];
const DESTINATIONS = Array.from({ length: 12 }, (_, index) => index + 1);
const DRAFTS = [1, 2, 3];
const EVENTS = [10, 20, 50].flatMap((time) => LINES.map((line) => `evt_${time}_${line}`));
const CONTACTS = [SHARED, ALIAS, '16505550000', '16505551000', '16505560002'];
const NAMES = LINES.flatMap((line) => CONTACTS.map((contact) => ({ line_id: line, contact })));
const NOW = at(100);
const SPELLINGS = (name: string) => [name];
const PERIOD = [
  { at: at(0), eventId: 'evt_0' },
  { at: at(95), eventId: 'evt_:' },
] as const;
const FIRST_DELIVERY = { destination_id: 0, event_id: '' };

type Row<T> = (value: T) => Promise<unknown>;
const each = <T>(values: T[], ask: Row<T>) => Promise.all(values.map(ask));

/** The rows of a query without an order. */
const inAnyOrder = (rows: object[]): string[] => rows.map((row) => JSON.stringify(row)).toSorted();

/** All rows of a list, by pages of this many. */
async function pages<Place>(
  limit: number,
  page: (after: Place | null, limit: number) => Promise<{ rows: unknown[]; next: Place | null }>,
): Promise<unknown[]> {
  const found: unknown[] = [];
  let after: Place | null = null;
  do {
    const { rows, next }: { rows: unknown[]; next: Place | null } = await page(after, limit);
    found.push(...rows);
    after = next;
  } while (after !== null);
  return found;
}

const deliverySearches = (destinations: (number[] | undefined)[]) =>
  destinations.flatMap((destinationIds) =>
    [
      {},
      ...(['open', 'waiting', 'parked', 'delivered', 'dead', 'canceled'] as const).map((state) => ({
        state,
      })),
      { cause: 'timeout' },
      { state: 'dead' as const, cause: 'timeout' },
      { state: 'open' as const, from: 'evt_1', to: 'evt_3' },
    ].map((search) => (destinationIds ? { ...search, destinationIds } : search)),
  );

/** Every way to read, with ids of all customers' rows. */
const READS: Record<string, (store: Store) => Promise<unknown>> = {
  'lines.all': ({ lines }) => lines.all(),
  'lines.some': ({ lines }) => lines.some(LINES),
  'lines.find': ({ lines }) => each(LINES, lines.find),
  'lines.findRemoved': ({ lines }) => each(LINES, lines.findRemoved),
  'lines.refused': ({ lines }) => lines.refused(),
  'lines.refreshes': ({ lines }) => lines.refreshes(),
  'lines.checks': ({ lines }) => lines.checks(),
  'lines.upstreamStatus': ({ lines }) => each(LINES, lines.upstreamStatus),
  'lines.refreshedAt': ({ lines }) => each(LINES, (id) => lines.refreshedAt(id, 'status', 'person')),
  'tokens.active': ({ tokens }) => tokens.active(NOW),
  'tokens.some': ({ tokens }) => tokens.some([1, 2, 5, 6]),
  'tokens.latestOf': ({ tokens }) => tokens.latestOf([1, 2, 5, 6]),
  'tokens.ofLine': ({ tokens }) => each(LINES, tokens.ofLine),
  'tokens.page': ({ tokens }) => each([null, ...LINES], (line) => tokens.page(line, 0, 50)),
  'tokens.find': ({ tokens }) => each([1, 2, 5, 6], tokens.find),
  'templates.ofLine': ({ templates }) => each(LINES, templates.ofLine),
  'templates.find': ({ templates }) =>
    each(['welcome', 'welcome_0', 'welcome_1'], (name) =>
      each(LINES, (line) => templates.find(line, name, 'en_US')),
    ),
  'templates.named': ({ templates }) => templates.named(LINES, ['welcome', 'welcome_0', 'welcome_1']),
  'templates.syncedAt': ({ templates }) => each(LINES, templates.syncedAt),
  'templateDrafts.ofCustomer': ({ templateDrafts }) => each([null, 1, 2], templateDrafts.ofCustomer),
  'templateDrafts.all': ({ templateDrafts }) => templateDrafts.all(),
  'templateDrafts.find': ({ templateDrafts }) => each(DRAFTS, templateDrafts.find),
  'templateDrafts.files': ({ templateDrafts }) => each(DRAFTS, templateDrafts.files),
  'templateDrafts.file': ({ templateDrafts }) => each(DRAFTS, (id) => templateDrafts.file(id, 'hash')),
  'templateDrafts.submissions': ({ templateDrafts }) => each(DRAFTS, templateDrafts.submissions),
  'destinations.active': ({ destinations }) =>
    each([undefined, LINES, ...LINES], (of) => destinations.active(NOW, of)),
  'destinations.some': ({ destinations }) => destinations.some(DESTINATIONS),
  'destinations.registeredBy': ({ destinations }) => destinations.registeredBy('token_id', [1, 3, 5, 7]),
  'destinations.expired': ({ destinations }) => destinations.expired(NOW),
  'destinations.unhealthy': ({ destinations }) => destinations.unhealthy(),
  'destinations.latest': ({ destinations }) =>
    each([null, ...LINES], (line) => destinations.latest(line, 50)),
  'destinations.idsOf': ({ destinations }) =>
    each(LINES, async (line) => [await destinations.idsOf(line, null), await destinations.idsOf(line, 50)]),
  'destinations.all': ({ destinations }) => destinations.all(),
  'destinations.countOf': ({ destinations }) => each(LINES, destinations.countOf),
  'destinations.find': ({ destinations }) => each(DESTINATIONS, destinations.find),
  'destinations.healthOf': ({ destinations }) => destinations.healthOf(DESTINATIONS),
  'events.newest': ({ events }) => events.newest(),
  'windows.lastInboundAt': ({ windows }) => each(LINES, (line) => windows.lastInboundAt(line, CONTACTS)),
  'windows.identitiesOf': ({ windows }) =>
    each(LINES, async (line) => (await windows.identitiesOf(line, [SHARED], SPELLINGS)).toSorted()),
  'optOuts.hasAny': ({ optOuts }) => each(LINES, optOuts.hasAny),
  'optOuts.of': ({ optOuts }) => each(LINES, (line) => optOuts.of(line, CONTACTS)),
  'optOuts.page': ({ optOuts }) => each(LINES, (line) => optOuts.page(line, '', 50)),
  'optOuts.countOf': ({ optOuts }) => each(LINES, optOuts.countOf),
  'automationPauses.hasAny': ({ automationPauses }) =>
    each(LINES, (line) => automationPauses.hasAny(line, NOW)),
  'automationPauses.among': ({ automationPauses }) =>
    each(LINES, (line) => automationPauses.among(line, CONTACTS, NOW)),
  'automationPauses.latest': ({ automationPauses }) =>
    each(LINES, (line) => automationPauses.latest(line, CONTACTS)),
  'questions.find': ({ questions }) =>
    each(LINES, async (line) => [
      await questions.find(line, `open-${line}`),
      await questions.find(line, `answered-${line}`),
    ]),
  'questions.openOf': ({ questions }) => each(LINES, (line) => questions.openOf(line, CONTACTS, NOW)),
  'questions.ofAnswer': ({ questions }) => each(EVENTS, questions.ofAnswer),
  'questions.askedBy': ({ questions }) => questions.askedBy('token_id', [1, 3, 5, 7], NOW),
  'questions.givenUp': async ({ questions }) => (await questions.givenUp(NOW, 50)).toSorted(),
  'deliveries.ofDestination': ({ deliveries }) => each(DESTINATIONS, deliveries.ofDestination),
  'deliveries.attemptsOf': ({ deliveries }) =>
    each(DESTINATIONS, (id) => each(EVENTS, (event) => deliveries.attemptsOf(id, event))),
  'deliveries.waitsFor': ({ deliveries }) => each(DESTINATIONS, deliveries.waitsFor),
  'deliveries.waitingFor': ({ deliveries }) => deliveries.waitingFor(DESTINATIONS),
  'deliveries.overview': ({ deliveries }) => deliveries.overview(),
  'deliveries.meant': ({ deliveries }) =>
    each(
      [
        {},
        { contacts: CONTACTS },
        { lineId: 1 },
        { lineId: 3 },
        { destinationIds: DESTINATIONS },
        { cause: 'timeout' },
      ],
      (filter) => deliveries.meant({ states: ['dead', 'delivered'], ...filter }, FIRST_DELIVERY, 50),
    ),
  'deliveryList.page': ({ deliveryList }) =>
    each(deliverySearches([undefined, DESTINATIONS, [1], [7]]), (search) =>
      each([3, 50], (limit) =>
        pages(limit, (after, most) => deliveryList.page(search, after as never, most)),
      ),
    ),
  'deliveryList.event': ({ deliveryList }) => each(EVENTS, deliveryList.event),
  'eventList.page': ({ eventList }) =>
    each(
      [
        ...deliverySearches([undefined, DESTINATIONS]),
        ...LINES.map((lineId) => ({ lineId })),
        ...EVENTS.map((eventId) => ({ eventId })),
        { contacts: CONTACTS },
        { contacts: [SHARED], lineId: 3 },
        { contacts: [SHARED], wamid: 'wamid.evt_20_3' },
        { subjects: ['messageStatus' as const] },
        { subjects: ['account' as const] },
        { from: 'evt_2', to: 'evt_4' },
        { text: textSearch('hello') },
        { state: 'dead' as const, lineId: 1 },
        { state: 'dead' as const, subjects: ['message' as const] },
      ],
      (search) =>
        each([false, true], (oldest) =>
          each([3, 50], (limit) =>
            pages(limit, (after, most) => eventList.page(search, after as never, most, oldest)),
          ),
        ),
    ),
  'eventList.knows': ({ eventList }) => each(CONTACTS, eventList.knows),
  'eventList.byIdentity': ({ eventList }) =>
    eventList.byIdentity([
      ...EVENTS.map((event) => `message:${event}`),
      'account:1',
      'account:3',
      'nobody',
      'bulk:9',
    ]),
  'eventList.standingOf': async ({ eventList }) =>
    inAnyOrder(await eventList.standingOf([...EVENTS, 'evt_900009'])),
  'eventList.bodiesOf': ({ eventList }) => eventList.bodiesOf([...EVENTS, 'evt_900009', 'evt_55_nobody']),
  'search.beginningWith': ({ search }) =>
    each(['1', '1650555', '16505560', '16505557'], (digits) => search.beginningWith(digits, 50)),
  'search.withDigits': ({ search }) =>
    each(['5550', '5551', '555'], (digits) => search.withDigits(digits, 50)),
  'search.whoWrote': ({ search }) => search.whoWrote(textSearch('hello'), 50),
  'search.identitiesOf': async ({ search }) => (await search.identitiesOf([SHARED], SPELLINGS)).toSorted(),
  'search.destinations': ({ search }) => search.destinations(textSearch('example')),
  'search.tokens': ({ search }) => search.tokens(textSearch('n8n')),
  'search.templates': ({ search }) => search.templates(textSearch('welcome')),
  'conversationList.written': ({ conversationList }) =>
    each(
      [
        {},
        { waits: true },
        { contacts: CONTACTS },
        { lineId: 1 },
        { lineId: 3 },
        { lineId: 1, contacts: [SHARED] },
      ],
      (search) =>
        each([2, 50], (limit) =>
          pages(limit, (after, most) => conversationList.written(search, after as never, most)),
        ),
    ),
  'conversationList.sent': ({ conversationList }) =>
    each([{}, { contacts: CONTACTS }, { lineId: 1 }, { lineId: 3 }], (search) =>
      each([2, 50], (limit) =>
        pages(limit, (after, most) => conversationList.sent(search, after as never, most)),
      ),
    ),
  'conversationList.aliasesOf': async ({ conversationList }) =>
    inAnyOrder(await conversationList.aliasesOf(LINES, CONTACTS)),
  'conversationList.latestOf': async ({ conversationList }) =>
    inAnyOrder(await conversationList.latestOf(NAMES)),
  'conversationList.lastWrittenOf': async ({ conversationList }) =>
    inAnyOrder(await conversationList.lastWrittenOf(NAMES)),
  destinationReport: ({ destinationReport }) => each(DESTINATIONS, destinationReport),
  lastAttempts: ({ lastAttempts }) => lastAttempts(DESTINATIONS),
  latestAttempts: ({ latestAttempts }) => each(DESTINATIONS, (id) => latestAttempts(id, 5)),
  'messageList.withText': ({ messageList }) =>
    each([{}, { lineId: 1 }, { lineId: 3 }, { state: 'failed' as const }], (search) =>
      each([2, 50], (limit) =>
        pages(limit, (after, most) =>
          messageList.withText({ ...search, text: sentTextSearch('hello') }, after as never, most),
        ),
      ),
    ),
  'messageList.page': ({ messageList }) =>
    each(
      [
        ...[{}, { lineId: 1 }, { lineId: 3 }, { state: 'failed' as const }, { state: 'accepted' as const }],
        ...[{ state: 'failed' as const, code: 131049 }, { contacts: CONTACTS }, { from: at(12), to: at(93) }],
      ],
      (search) =>
        each([2, 50], (limit) =>
          pages(limit, (after, most) => messageList.page(search, after as never, most)),
        ),
    ),
  'messageList.byId': ({ messageList }) =>
    each(['wamid.sent.11.1', 'wamid.sent.11.3', 'wamid.bulk.9'], (id) => messageList.byId(LINES, id)),
  'messageList.written': ({ messageList }) =>
    each(LINES, (line) => messageList.written(line, CONTACTS, 'evt_~', 50)),
  'messageList.sent': ({ messageList }) => each(LINES, (line) => messageList.sent(line, CONTACTS, NOW, 50)),
  'history.counts': ({ history }) => history.counts(...PERIOD),
  'history.attempts': ({ history }) =>
    each([null, DESTINATIONS], (ids) => history.attempts(ids, PERIOD[0].eventId, PERIOD[1].eventId)),
  'history.stretch': async ({ history }) => {
    const { over, delivered, ...rest } = await history.stretch(...PERIOD);
    return { ...rest, over: inAnyOrder(over), delivered: inAnyOrder(delivered) };
  },
  'usageReport.groups': ({ usageReport }) =>
    each([undefined, LINES, ...LINES.map((id) => [id])], async (lineIds) =>
      inAnyOrder(
        await usageReport.groups(
          { clock: 'utc', from: '', to: '9', per: 'day', groups: ['line_id'], ...(lineIds && { lineIds }) },
          50,
        ),
      ),
    ),
  'usageReport.totals': ({ usageReport }) => usageReport.totals('2026-03'),
  'usageReport.lines': ({ usageReport }) => usageReport.lines(),
  'owners.all': ({ owners }) => owners.all(),
  'idempotencyKeys.find': ({ idempotencyKeys }) =>
    each(LINES, (line) => idempotencyKeys.find(line, 'key', at(0))),
  'idempotencyKeys.findForgotten': ({ idempotencyKeys }) =>
    each(LINES, (line) => idempotencyKeys.findForgotten(line, 'key', at(0))),
  'customers.all': ({ customers }) => customers.all(),
  'customers.find': ({ customers }) => each([1, 2], customers.find),
  'customers.counts': ({ customers }) => customers.counts(),
  'platformUsage.since': ({ platformUsage }) => platformUsage.since('2026-01-01'),
  'usageReport.sentSince': ({ usageReport }) => usageReport.sentSince('2026-01-01'),
  'rateCards.all': ({ rateCards }) => rateCards.all(),
  'rateCards.some': ({ rateCards }) => rateCards.some([1, 2]),
  'rateCards.find': ({ rateCards }) => each([1, 2], rateCards.find),
  'customerAudit.page': ({ customerAudit }) => each([1, 2], (id) => customerAudit.page(id, {}, 50)),
  'customerAudit.words': ({ customerAudit }) => each([1, 2], customerAudit.words),
  'audit.page': ({ audit }) =>
    each([{}, { lineId: 1 }, { lineId: 3 }, { who: 'user of 1' }], (filter) => audit.page(filter, 50)),
  'audit.words': ({ audit }) => audit.words(),
  'glance.lastEvents': ({ glance }) => glance.lastEvents(LINES),
  'glance.hasMessage': ({ glance }) => each(LINES, glance.hasMessage),
  'glance.notCalled': ({ glance }) => each([undefined, ...LINES], glance.notCalled),
  'backlog.dead': ({ backlog }) => each([null, DESTINATIONS], backlog.dead),
  'backlog.over': ({ backlog }) =>
    each([{}, { destinationIds: DESTINATIONS }, { from: 'evt_2' }], (filter) =>
      each([['dead' as const], ['dead' as const, 'delivered' as const]], (states) =>
        backlog.over({ states, ...filter }),
      ),
    ),
  'backlog.oldestDueAt': ({ backlog }) => backlog.oldestDueAt(),
  'backlog.of': ({ backlog }) => backlog.of(DESTINATIONS),
  'backlog.deadOf': ({ backlog }) => backlog.deadOf(DESTINATIONS),
  'backlog.linesOfDead': ({ backlog }) => backlog.linesOfDead(50),
  'backlog.inAll': ({ backlog }) => backlog.inAll(),
  'replays.since': ({ replays }) => replays.since(at(0), 'user of 1'),
  'traces.identitiesOf': async ({ traces }) => (await traces.identitiesOf([SHARED], SPELLINGS)).toSorted(),
  'alerts.open': ({ alerts }) => alerts.open(),
  'alerts.incidents': ({ alerts }) => alerts.incidents(DESTINATIONS),
  'alerts.closed': ({ alerts }) => alerts.closed(50),
  'alerts.channels': ({ alerts }) => alerts.channels(),
  'alerts.channel': ({ alerts }) => each(DESTINATIONS, alerts.channel),
  'alerts.told': ({ alerts }) => alerts.told(),
  'alerts.noticesSince': ({ alerts }) => alerts.noticesSince(at(0), DESTINATIONS),
  'alerts.waitingNotices': ({ alerts }) => alerts.waitingNotices(NOW),
  'alerts.countDropped': ({ alerts }) => each(DESTINATIONS, (id) => alerts.countDropped(id, at(0), 'x')),
  'alerts.notice': ({ alerts }) => each(['alrt_0_1', 'alrt_0_2', 'alrt_1_1'], alerts.notice),
  'alerts.rules': ({ alerts }) => alerts.rules(),
  'alerts.mutes': ({ alerts }) => alerts.mutes(NOW),
  'alerts.marks': ({ alerts }) => alerts.marks(),
  'alerts.ruleChanges': ({ alerts }) => alerts.ruleChanges(),
  'alertFacts.budgets': async ({ alertFacts }) => (await alertFacts.budgets()).map(({ name }) => name),
  'alertFacts.givenUp': ({ alertFacts }) => alertFacts.givenUp(at(0)),
  'alertFacts.lastAttempts': ({ alertFacts }) => alertFacts.lastAttempts(1),
  'alertFacts.templates': ({ alertFacts }) => alertFacts.templates(),
  'alertFacts.recategorised': ({ alertFacts }) => alertFacts.recategorised(at(0)),
  'alertFacts.syncedLines': ({ alertFacts }) => alertFacts.syncedLines(),
  'alertFacts.tokens': ({ alertFacts }) => alertFacts.tokens(at(0)),
};

/** With lists in place of maps, whose class is another one here. */
const asData = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, one: unknown) =>
      Object.prototype.toString.call(one) === '[object Map]'
        ? inAnyOrder([...(one as Map<unknown, unknown>)])
        : one,
    ),
  );

async function allOf(store: Store): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(READS)) found[name] = asData(await read(store));
  return found;
}

/** What is not compared. Words are methods of the table before the colon; without one, all of its methods. */
const EXCEPTIONS = {
  'change rows': `
    lines: remove noteHandshake noteSignature insert update startRefresh refreshFailed wantRefresh storeStatus storeChecks
    tokens: insert revoke expire markUsed
    adminTokens: insert revoke markUsed
    templates: insertStarters replaceSynced applyChanges claim release owner isOthers namesOfOthers giveTo
    templateDrafts: insert save remove release addFile copyFiles removeFiles storeSubmission
    destinations: clearRemoved insert ofQuestions update updateBy note remove
    events: dropBefore emptyBodies remove
    messages: removeBefore removeBodiesBefore
    usage: mark markOf replace settled freeze
    platformUsage: replace removeBefore
    windows: removeBefore removeLooseAliases
    optOuts: add takeOff removeBackBefore
    automationPauses: set removeEndedBefore
    questions: begin open drop cancel endExpired endDelivered removeBefore
    gathering: close done removeDoneBefore
    deliveries: bringForward makeDueBy again cancel cancelEmpty cancelOfRemoved
    owners: acquire giveUp
    idempotencyKeys: keepUnknown release removeBefore
    customers: lock insert update remove noteBudget
    rateCards: insert remove removeOf
    adminRequests: answered claim release removeBefore
    audit: add clearBefore lock
    customerAudit: add clearTo
    replays: begin tell
    traces: emptyEvents emptyMentions removeRest
    alerts: openIncidents updateIncident closeIncidents removeBefore insertChannel updateChannel removeChannel
      removeExpiredChannels storeTold forgetTold insertNotices claim claimOne dropNotices giveUpNotice hurryNotices
      updateNotice releaseClaims storeRule insertMute endMute storeMark removeMark inTurn`,
  'belong to the gateway, and no page shows them without its permission': `
    processes: keepAlive succeed isFirst isAnyBefore all count clearEnded clearUnknown leave removeAll
    registry: revision changes forgotten forgot touch
    secrets: sealAnew
    owners: openRecordings
    audit: check verify hash
    customerAudit: verify`,
  'belong to users': `
    adminTokens: all active some find
    users: all any find byName byEmail claimEmail lock insert update setMembership remove takeTotpStep replaceRecoveryCodes
      takeRecoveryCode recoveryCodesLeft
    lookedAt: has add
    sessions: find ofUser insert update remove removeOfUser removeOfIdentity removeOfProvider removeEnded
    identities: find ofUser add update remove
    oidcProviders: all insert update remove
    usedOnce: take
    links: insert find take removeOf removeExpired
    customers: invitedTo
    invitations: all find byHash insert renew forgetAddress remove take removeExpired`,
  'are for the rounds that rebuild usage, which have the whole store': `
    usage: activeSince marked firstDay sent received day progress`,
  'are for forwarding alone, which has the whole store': `
    gathering: waiting closed
    queued: first untried ofContact due body
    failingSince: suspects of`,
};

function exceptions(): string[] {
  return Object.values(EXCEPTIONS).flatMap((text) => {
    let table = '';
    return text.split(/\s+/).flatMap((word) => {
      if (word.endsWith(':')) table = word.slice(0, -1);
      return word && !word.endsWith(':') ? [`${table}.${word}`] : [];
    });
  });
}

/** Every method of the tables and reports, which the narrowed store has of its own. */
const methodsOf = (seen: Store, whole: Store): string[] =>
  Object.entries(seen).flatMap(([table, value]: [string, unknown]) => {
    if (value === whole[table as keyof Store] || isConnection(table)) return [];
    if (typeof value === 'function') return [table];
    return Object.keys(value as object).map((method) => `${table}.${method}`);
  });

const isConnection = (name: string): boolean => ['db', 'looks', 'queues'].includes(name);

describe.each(DATABASES)('the store within a reach on $name', ({ createUrl }) => {
  async function both(): Promise<{ alone: WholeStore; seen: Store; whole: WholeStore }> {
    const url = await createUrl();
    const [alone, whole] = [await open(await createUrl()), await open(url)];
    for (const store of [alone, whole]) await addCustomer(store, 0);
    await addOthers(whole, url);
    return { alone, whole, seen: whole.within({ lines: OWN, content: OWN, customers: [1] }) };
  }

  test('reads what a gateway with these lines alone would read', async () => {
    const { alone, seen, whole } = await both();
    expect([...Object.keys(READS), ...exceptions()].toSorted()).toEqual(methodsOf(seen, whole).toSorted());
    expect(await allOf(seen)).toEqual(await allOf(alone));
  });

  test.each<[string, Reach, number[], number[]]>([
    ['of none of their lines', OWN, [], OWN],
    ['of one of their lines', OWN, [1], [2]],
    ['of none of all lines', 'all', [], OWN],
  ])('reads the same, whatever content readers %s cannot see', async (_, lines, content, hidden) => {
    const urls = [await createUrl(), await createUrl()] as const;
    const stores = await Promise.all(urls.map((url) => open(url)));
    for (const store of stores) await addCustomer(store, 0);
    for (const line of hidden) await changeContent(urls[1], line);
    const [before, after] = await Promise.all(
      stores.map(async (store) => allOf(store.within({ lines, content, customers: [1] }))),
    );
    expect(after).toEqual(before);
    expect(JSON.stringify(after)).not.toContain('changed ');
  });
});
