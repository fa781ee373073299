import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  PERMISSIONS,
  PERMISSIONS_OF,
  ROLES,
  type MemberRole,
  type Permission,
} from '../../../gateway/rights/roles';
import { pagesOf } from '../../../gateway/panel/routes';
import { type PanelRoute } from '../../../gateway/panel/panel-route';
import { rebuildAll } from '../../../gateway/usage/rebuild';
import { HOUR } from '../../../gateway/time';
import { addCustomer, NOBODYS, SAMPLE, thingsOf, type Things } from '../../support/customer-things';
import { DATABASES } from '../../support/databases';
import { asLines } from '../../support/walk-matrix';
import { addPanelUser, formTokenIn, PASSWORD } from '../../support/panel/visitor';
import { createDatabase } from '../../support/postgres';
import { rows, write } from '../../support/rows';
import { sqliteUrl, startScene, type Scene } from '../../support/scene';

/**
 * Every page and action of the panel, for each role and for each single permission within one customer, on what
 * belongs to this customer, to another, and to nobody. `walk.txt` holds the answers, to be read by people; a change is
 * written with `WALK=write`.
 */
const MATRIX = join(__dirname, 'walk.txt');

const MEMBERS = ROLES.filter((role) => role !== 'owner');

/** Marks everything of the other customer. */
const RIVAL = /rival|5511900000000/i;

/** Marks the contact and the content of the messages of this customer. */
const CONTENT = new RegExp(
  `own (secret|person|answer)|wamid\\.|${[...'4915112345678'].join('[\\s-]*')}`,
  'i',
);

const isWithoutContent = (who: string): boolean =>
  who === 'editor' || (who !== 'messages.read' && PERMISSIONS.some((permission) => permission === who));

/** The parameters of a route by the part of the path before them. */
function pathTo(
  url: string,
  {
    line,
    destination,
    token,
    event,
    wamid,
    contact,
    channel,
    user,
    customer,
    draft,
    invitation,
    rateCard,
  }: Things,
): string {
  const ids: [RegExp, string | number][] = [
    [/(\/lines\/):id/, line],
    [/(\/destinations\/):destination/, destination],
    [/(\/tokens\/):id/, token],
    [/(\/events\/):id/, event],
    [/(\/(?:messages|conversations)\/):line/, line],
    [/(\/messages\/\d+\/):wamid/, wamid],
    [/(\/conversations\/\d+\/):contact/, contact],
    [/(\/drafts\/):id/, draft],
    [/(\/drafts\/\d+\/files\/):file/, SAMPLE],
    [/(\/files\/):file/, '2762702990552401'],
    [/(\/questions\/):question/, 'qst_0000000000000000000000000'],
    [/(\/channels\/new\/):kind/, 'slack'],
    [/(\/channels\/):id/, channel],
    [/(\/users\/):id/, user],
    [/(\/sessions\/):session/, '0123456789abcdef'],
    [/(\/invitations\/):id/, invitation],
    [/(\/customers\/):id/, customer],
    [/(\/rate-cards\/):id/, rateCard],
  ];
  return ids.reduce(
    (path, [pattern, id]) => path.replace(pattern, (_found, before: string) => before + id),
    `/panel${url}`,
  );
}

const userId = async ({ databaseUrl }: Scene, name: string): Promise<number> =>
  Number((await rows(databaseUrl, `select id from users where name = '${name}'`))[0]?.id);

/** Adds a user with one role in one customer. */
async function addMember(scene: Scene, name: string, customerId: number, role: MemberRole): Promise<void> {
  await addPanelUser(scene, name, 'viewer');
  const id = await userId(scene, name);
  await scene.change(async ({ store: { users } }) => {
    await users.update(id, { role: null });
    await users.setMembership(id, customerId, role);
  });
}

interface Answer {
  status: number;
  title: string;
  text: string;
}

/** One user who walks. */
class Walker {
  #cookie = '';
  #formToken = '';

  constructor(private readonly url: string) {}

  async ask(path: string, form?: Record<string, string>): Promise<Answer> {
    const answer = await fetch(`${this.url}${path}`, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        cookie: `panel=${this.#cookie}`,
        ...(form && { origin: this.url, 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
    });
    const [, cookie] = /(?:^|, )panel=([\w-]+)/.exec(answer.headers.get('set-cookie') ?? '') ?? [];
    if (cookie !== undefined) this.#cookie = cookie;
    const text = await answer.text();
    return { status: answer.status, title: /<h1[^>]*>([^<]*)/.exec(text)?.[1]?.trim() ?? '', text };
  }

  async logIn(name: string): Promise<void> {
    const form_token = formTokenIn((await this.ask('/panel/log-in')).text);
    expect((await this.ask('/panel/log-in', { name, password: PASSWORD, form_token })).status).toBe(303);
    this.#formToken = formTokenIn((await this.ask('/panel/profile')).text);
  }

  /** The first parts of a live page. */
  async streamed(path: string): Promise<string> {
    const ending = new AbortController();
    const { body } = await fetch(`${this.url}${path}`, {
      headers: { cookie: `panel=${this.#cookie}`, accept: 'text/event-stream' },
      signal: ending.signal,
    });
    let text = '';
    for await (const bytes of body ?? []) {
      text += Buffer.from(bytes as Uint8Array).toString();
      if (text.includes('deliveries')) break;
    }
    ending.abort();
    return text;
  }

  post(path: string, form: Record<string, string>): Promise<Answer> {
    return this.ask(path, { ...form, form_token: this.#formToken });
  }

  /** What a route answers, as one word. An action on what the user has is stopped before it is done. */
  async outcome(
    { method, url }: PanelRoute,
    things: Things,
    isOwn: boolean,
  ): Promise<[word: string, text: string]> {
    const path = pathTo(url, things);
    if (method === 'GET') {
      const { status, text } = await this.ask(path);
      return [String(status), text.replaceAll(path, '')];
    }
    const { status, title, text } = await (isOwn ? this.ask(path, {}) : this.post(path, {}));
    return [title === 'This form is too old' ? 'may' : String(status), text.replaceAll(path, '')];
  }
}

/** Pages beyond those of the routes. */
const MORE_PAGES = [
  '/events?q=text',
  '/events?state=dead',
  '/events?state=waiting&oldest=1',
  '/messages?state=failed',
  '/messages?q=text',
  '/conversations?q=4915112345678',
  '/search?q=4915112345678',
  '/search?q=text',
  '/search?q=shop',
  '/search/quick?q=4915',
  '/templates?q=order',
];

/** What differs between two pages of the same kind, whatever they are about. */
const withoutTokens = (text: string): string => text.replace(/value="[\w-]{43,}"/g, '');

describe.each(DATABASES)('the walk of every role and permission on $name', ({ createUrl }) => {
  let scene: Scene;
  let own: Things;
  let other: Things;
  beforeAll(async () => {
    scene = await startScene(await createUrl());
    const [mine, rival] = [await addCustomer(scene, 'Own Inc'), await addCustomer(scene, 'Rival Inc')];
    own = await thingsOf(scene, mine, 'own', '4915112345678');
    other = await thingsOf(scene, rival, 'rival', '5511900000000');
    await addPanelUser(scene, 'everything', 'owner');
    for (const role of MEMBERS) await addMember(scene, role, mine, role);
    await addMember(scene, 'single', mine, 'viewer');
    await addMember(scene, 'rival-person', rival, 'viewer');
    await addMember(scene, 'colleague', mine, 'viewer');
    own = { ...own, user: await userId(scene, 'colleague') };
    other = { ...other, user: await userId(scene, 'rival-person') };
  });
  afterAll(() => scene.stop());

  const everythingOfTheOther = async (): Promise<string> => {
    const tables = [
      'lines',
      'destinations',
      'tokens',
      'alert_channels',
      'opt_outs',
      'memberships',
      'customers',
    ];
    const found = await Promise.all(
      tables.map((table) => rows(scene.databaseUrl, `select * from ${table} order by 1`)),
    );
    // The use of a token is stored later.
    return JSON.stringify(found, (key, value: unknown) => (key.startsWith('last_used_') ? null : value));
  };

  const ROUTES = pagesOf({ sandboxUrl: null }).filter(({ permission }) => permission !== 'anyone');

  /** By route, who gets which answers: on what is their own, another's, nobody's. */
  const found = new Map<string, Map<string, string[]>>();

  async function walk(who: string, name: string): Promise<void> {
    const walker = new Walker(scene.gateway.url);
    await walker.logIn(name);
    for (const route of ROUTES) {
      const [mine, mineText] = await walker.outcome(route, own, true);
      const isOfThings = route.url.includes(':') && !/:kind$/.test(route.url);
      const [theirs, theirText] = isOfThings ? await walker.outcome(route, other, who === 'owner') : ['', ''];
      const [none, noText] = isOfThings ? await walker.outcome(route, NOBODYS, false) : ['', ''];
      const key = `${route.method.padEnd(4)} ${route.url || '/'}`;
      if (who !== 'owner') {
        if (isWithoutContent(who) && CONTENT.test(mineText))
          throw new Error(`${who} reads content at ${key}: ${around(mineText, CONTENT)}`);
        if (RIVAL.test(mineText))
          throw new Error(`${who} reads of another customer at ${key}: ${around(mineText, RIVAL)}`);
        expect([who, key, withoutTokens(theirText)]).toEqual([who, key, withoutTokens(noText)]);
      }
      const groups = found.get(key) ?? new Map<string, string[]>();
      const words = [mine, theirs, none].join(' ').trim();
      groups.set(words, [...(groups.get(words) ?? []), who]);
      found.set(key, groups);
    }
  }

  test('shows neither contacts nor content to editors, also if they are agents of another customer', async () => {
    await addPanelUser(scene, 'editor-of-all', 'editor');
    await addMember(scene, 'both', own.customer, 'editor');
    const both = await userId(scene, 'both');
    await scene.change(({ store }) => store.users.setMembership(both, other.customer, 'agent'));
    const pages = ROUTES.filter(({ method }) => method === 'GET').map(({ url }) => pathTo(url, own));
    for (const name of ['editor', 'editor-of-all', 'both']) {
      const walker = new Walker(scene.gateway.url);
      await walker.logIn(name);
      for (const path of [...pages, ...MORE_PAGES.map((page) => `/panel${page}`)]) {
        // The page repeats its address and the text that was searched for.
        const text = (await walker.ask(path)).text.replaceAll(own.contact, '');
        if (CONTENT.test(text.replaceAll(/wamid\.5511\d+/g, '')))
          throw new Error(`${name} reads content at ${path}: ${around(text, CONTENT)}`);
      }
      const event = (await walker.ask(`/panel/events/${own.event}`)).text;
      expect(event).toContain('Contact and content are hidden from editors.');
      expect(await walker.streamed(`/panel/events/${own.event}`)).not.toMatch(CONTENT);
      if (name !== 'both') continue;
      expect((await walker.ask('/panel/events')).text).toContain('rival secret');
      expect((await walker.ask(`/panel/events/${other.event}`)).text).toContain('rival answer');
      expect((await walker.ask(`/panel/conversations/${other.line}/${other.contact}`)).status).toBe(200);
      expect((await walker.ask(`/panel/conversations/${own.line}/${own.contact}`)).status).toBe(404);
    }
  });

  test('gives what is written in the matrix, and what belongs to others answers like nothing', async () => {
    const before = await everythingOfTheOther();
    await walk('owner', 'everything');
    for (const role of MEMBERS) await walk(role, role);
    const viewer = PERMISSIONS_OF.viewer;
    try {
      for (const permission of PERMISSIONS) {
        PERMISSIONS_OF.viewer = new Set<Permission>([permission]);
        await walk(permission, 'single');
      }
    } finally {
      PERMISSIONS_OF.viewer = viewer;
    }
    expect(await everythingOfTheOther()).toBe(before);
    const text = [...found].map(([route, groups]) => [route, ...asLines(groups)].join('\n')).join('\n');
    const head =
      "# The answers on what is one's own, of another customer, and nobody's. may: allowed; the form is refused for lack of a token.\n";
    if (process.env.WALK === 'write') writeFileSync(MATRIX, `${head}${text}\n`);
    expect(`${head}${text}\n`).toBe(readFileSync(MATRIX, 'utf8'));
  });

  const record = (looks: 'agency' | 'everybody' | null) =>
    scene.change(({ store }) => store.customers.update(own.customer, { audit_looks: looks }));
  const login = async (name: string): Promise<Walker> => {
    const walker = new Walker(scene.gateway.url);
    await walker.logIn(name);
    return walker;
  };
  /** The looks in the audit of the customer: who looked, and at what. */
  const looks = async () => {
    const found = await rows(
      scene.databaseUrl,
      `select who, audit.details as details from audit
       join customer_audit on audit_number = audit.number and customer_id = ${own.customer}
       where action = 'messages.looked' order by audit.number`,
    );
    return found.map(({ who, details }) => [who, JSON.parse(String(details)) as { page: string }] as const);
  };
  const conversation = () => `/panel/conversations/${own.line}/${own.contact}`;

  test('records who looks at messages of a customer that wants it, once for each contact and hour', async () => {
    const viewer = await login('viewer');
    await viewer.ask(conversation());
    expect(await looks()).toEqual([]);
    await record('everybody');
    const pages = [
      ...[conversation(), conversation(), `/panel/events/${own.event}`],
      ...[
        `/panel/messages/${own.line}/${own.wamid}`,
        `/panel/search?q=${own.contact}`,
        '/panel/search?q=own',
      ],
      `/panel/conversations/${own.line}/files/2762702990552401`,
    ];
    for (const page of pages) expect([page, (await viewer.ask(page)).status]).not.toEqual([page, 500]);
    await viewer.post('/panel/events/export', { format: 'csv', q: own.contact });
    await viewer.post('/panel/events/export', { format: 'csv' });
    const contact = expect.stringMatching(/^[\da-f]{16}$/) as string;
    const customers = ['Own Inc'];
    expect(await looks()).toEqual([
      ['viewer', { page: 'conversation', contact }],
      ...['conversations', 'events', 'messages', 'search'].map((page) => ['viewer', { page, customers }]),
      ['viewer', { page: 'file' }],
      ...['export', 'export'].map((page) => ['viewer', { page, customers }]),
    ]);
    expect(JSON.stringify(await looks())).not.toMatch(CONTENT);
    // An agency's own people only.
    await record('agency');
    scene.clock.now += HOUR;
    const before = (await looks()).length;
    await (await login('viewer')).ask(conversation());
    expect((await looks()).slice(before)).toEqual([]);
    await (await login('everything')).ask(conversation());
    expect((await looks()).slice(before).map(([who, { page }]) => [who, page])).toEqual([
      ['everything', 'conversation'],
      ['everything', 'conversations'],
    ]);
    await scene.change(async ({ store, vault }) =>
      expect((await store.audit.verify(vault)).faults).toEqual([]),
    );
  });

  test('records who looks at a notification of several contacts, and at opt-outs', async () => {
    await record('everybody');
    const both = `evt_${'1'.repeat(25)}`;
    await write(
      scene.databaseUrl,
      `insert into events (id, line_id, subject, kind, identity, phone_number_id, waba_id, body, received_at)
       select '${both}', line_id, 'notification', 'raw', 'notification:both', phone_number_id, waba_id, body, received_at
       from events where id = '${own.event}'`,
    );
    const agent = await login('agent');
    await agent.post(`/panel/lines/${own.line}/opt-outs`, { contact: own.contact });
    for (const [page, recorded] of [
      [`/panel/events/${both}`, ['event', 'events']],
      [`/panel/events?q=${both}`, ['events']],
      [`/panel/lines/${own.line}/opt-outs`, ['opt-outs']],
    ] as const) {
      scene.clock.now += HOUR;
      const viewer = await login('viewer');
      const before = (await looks()).length;
      expect((await viewer.ask(page)).status).toBe(200);
      const seen = (await looks()).slice(before).map(([who, details]) => [who, details.page]);
      expect([page, seen]).toEqual([page, recorded.map((one) => ['viewer', one])]);
    }
  });

  test('shows no messages if it cannot record that they are seen', async () => {
    await record('everybody');
    scene.clock.now += HOUR;
    const viewer = await login('viewer');
    await write(scene.databaseUrl, 'alter table audit_head rename to audit_head_away');
    try {
      const { status, text } = await viewer.ask(conversation());
      expect([status, text.includes('own')]).toEqual([500, false]);
    } finally {
      await write(scene.databaseUrl, 'alter table audit_head_away rename to audit_head');
    }
    expect((await viewer.ask(conversation())).status).toBe(200);
  });
});

describe('the pages of a customer', () => {
  const LINE = { phoneNumberId: '106540352242998', wabaId: '102290129340301' };
  const EVENTS = 5_000;

  /** Gives another customer on the same business account 10,000 messages, a third of them with the same contact. */
  async function flood(scene: Scene, { line, destination, contact }: Things, shared: string): Promise<void> {
    const contactOf = (index: number) => (index % 3 ? contact : shared);
    const timeOf = (index: number) => new Date(scene.clock.now - index * 1000).toISOString();
    await scene.change(async ({ store: { db } }) => {
      for (let first = 0; first < EVENTS; first += 250) {
        const indexes = Array.from({ length: 250 }, (_nothing, index) => first + index);
        const id = (index: number) => `evt_zz${String(index).padStart(8, '0')}`;
        await db
          .insertInto('events')
          .values(
            indexes.map((index) => ({
              id: id(index),
              line_id: line,
              subject: 'message' as const,
              kind: 'text',
              identity: `message:rival-${index}`,
              contact: contactOf(index),
              wamid: `wamid.zz.in.${index}`,
              phone_number_id: LINE.phoneNumberId,
              waba_id: LINE.wabaId,
              body: '{"rival":"text of an order"}',
              received_at: timeOf(index),
              automation: null,
            })),
          )
          .execute();
        await db
          .insertInto('deliveries')
          .values(
            indexes.map((index) => ({
              destination_id: destination,
              event_id: id(index),
              lane: contactOf(index),
              state: index % 2 ? ('dead' as const) : ('delivered' as const),
              attempts: 1,
              due_at: timeOf(index),
              finished_at: timeOf(index),
            })),
          )
          .execute();
        await db
          .insertInto('messages')
          .values(
            indexes.map((index) => ({
              line_id: line,
              wamid: `wamid.zz.${index}`,
              contact: contactOf(index),
              type: 'text',
              template_name: null,
              template_language: null,
              sent_from: null,
              client_ref: null,
              accepted_at: timeOf(index),
              sent_at: null,
              delivered_at: null,
              read_at: null,
              played_at: null,
              failed_at: index % 5 ? null : timeOf(index),
              failure: index % 5 ? null : '[{"code":131026,"title":"rival"}]',
            })),
          )
          .execute();
      }
    });
  }

  /** The URL of a copy of a database that is not open. */
  async function copyOf(url: string): Promise<string> {
    if (!url.startsWith('sqlite:')) return createDatabase(undefined, new URL(url).pathname.slice(1));
    const copy = await sqliteUrl();
    copyFileSync(url.slice('sqlite:'.length), copy.slice('sqlite:'.length));
    return copy;
  }

  test.each(DATABASES)(
    'are the same bytes on $name, whatever another customer has',
    async ({ createUrl }) => {
      const url = await createUrl();
      let alone = await startScene(url);
      const mine = await addCustomer(alone, 'Own Inc');
      const things = await thingsOf(alone, mine, 'own', '4915112345678');
      for (const role of ['admin', 'agent'] as const) await addMember(alone, role, mine, role);
      const own = { ...things, user: await userId(alone, 'agent') };
      await alone.stop();
      const beside = await startScene(await copyOf(url));
      alone = await startScene(url);
      try {
        const rival = await addCustomer(beside, 'Rival Inc');
        const theirs = await thingsOf(beside, rival, 'rival', '5511900000000', LINE);
        await flood(beside, theirs, own.contact);
        await addMember(beside, 'rival-person', rival, 'admin');
        for (const { change, clock } of [alone, beside])
          await change(({ store }) => rebuildAll({ store, clock: () => clock.now, goesOn: () => true }));
        for (const role of ['admin', 'agent']) {
          const [one, other] = [alone, beside].map(({ gateway }) => new Walker(gateway.url)) as [
            Walker,
            Walker,
          ];
          await Promise.all([one.logIn(role), other.logIn(role)]);
          const paths = pagesOf({ sandboxUrl: null })
            .filter(({ method, permission }) => method === 'GET' && permission !== 'anyone')
            .map(({ url: path }) => pathTo(path, own));
          let compared = 0;
          for (const path of [...paths, ...MORE_PAGES.map((page) => `/panel${page}`)]) {
            const [expected, found] = await Promise.all([one.ask(path), other.ask(path)]);
            expect([path, masked(beside, found)]).toEqual([path, masked(alone, expected)]);
            if (expected.status === 200) compared++;
          }
          expect(compared).toBeGreaterThan(25);
          for (const path of ['/panel/events/export', ...(role === 'admin' ? ['/panel/audit/export'] : [])]) {
            const form = { format: 'ndjson' };
            const [expected, found] = await Promise.all([one.post(path, form), other.post(path, form)]);
            expect([path, expected.status]).toEqual([path, 200]);
            expect([path, masked(beside, found)]).toEqual([path, masked(alone, expected)]);
          }
        }
      } finally {
        await Promise.all([alone.stop(), beside.stop()]);
      }
    },
  );

  /** Without what two gateways and two sessions never have in common. */
  const masked = ({ gateway, upstream }: Scene, { status, text }: Answer): string[] => [
    String(status),
    ...withoutTokens(text)
      .replaceAll(gateway.url, 'http://gateway')
      .replaceAll(upstream.url, 'http://platform')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'address')
      // Marks of live parts cover the form tokens within them.
      .replaceAll(/data-live="\w+"/g, '')
      .split(/(?=<)/),
  ];
});

const around = (text: string, mark: RegExp): string => {
  const at = text.search(mark);
  return text.slice(Math.max(0, at - 120), at + 60);
};
