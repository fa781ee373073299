import { type Insertable } from 'kysely';
import { type Schema } from '../../../gateway/store/schema';
import { type Store } from '../../../gateway/store/store';
import { notification, textFrom } from '../../support/test-gateway';
import { write } from '../../support/rows';
import { at } from './support';

/** A contact of every customer. */
export const SHARED = '16505551234';
/** The same person under another name. */
export const ALIAS = 'US.13491208655302741918';

/** More rows than a list reads at a time. */
const MANY = 5_100;

type Rows = { [Name in keyof Schema]?: Insertable<Schema[Name]>[] };

async function insert(store: Store, rows: Rows): Promise<void> {
  for (const [table, some] of Object.entries(rows))
    await store.db
      .insertInto(table as 'events')
      .values(some as never)
      .execute();
}

/** The ids of a customer's rows: the first customer has lines 1 and 2, and destinations 1 to 6. */
const idsOf = (customer: number) => ({
  shared: customer * 2 + 1,
  own: customer * 2 + 2,
  destinations: (line: number) => [1, 2, 3].map((number) => (line - 1) * 3 + number),
});

const template = (line_id: number, name: string, upstream_status: string) => ({
  ...{ line_id, name, upstream_status, language: 'en_US', category: 'UTILITY' },
  ...{ parameter_format: 'POSITIONAL', components: '[]', is_starter: 0 },
});

/** A draft; null: of the lines without a customer. */
const draft = (customer_id: number | null) => ({
  ...{ customer_id, name: 'order_ready', category: 'UTILITY', content: '{"languages":[]}', revision: 1 },
  ...{ created_at: at(1), updated_at: at(2), updated_by: 'ana' },
});

const sample = (draft_id: number) => ({
  ...{ draft_id, hash: 'hash', name: 'photo.png', type: 'image/png', bytes: Buffer.from(`of ${draft_id}`) },
  added_at: at(1),
});

const submission = (draft_id: number) => ({
  ...{ draft_id, waba_id: 'shared', language: 'en_US', at: at(3), failure: null },
});

const rateCard = (customer_id: number) => ({
  ...{ customer_id, name: `of ${customer_id}`, currency: 'USD', effective_from: '2026-10-01' },
  ...{ rates: '{}', imported_at: at(1) },
});

/** The name of a template that only this customer may use, in the account `shared`. */
const ownTemplate = (customer: number): string => `welcome_${customer}`;

/** The same at any time. */
const text = (contact: string, words: string) =>
  JSON.stringify(notification(textFrom(contact, words, 'wamid.x'))).replace(
    /"timestamp":"\d+"/,
    '"timestamp":"1"',
  );

/**
 * Fills all tables with the rows of two lines: the first is in a business account that other customers' lines may be
 * in too, the second is not.
 * @param customer from 0; with the same rows in the same order, but between the others' times
 */
export async function addCustomer(store: Store, customer: number): Promise<void> {
  const { shared, own, destinations } = idsOf(customer);
  const contact = `1650555${customer}000`;
  const name = `${customer}`;
  await insert(store, {
    customers: [{ name, external_id: `external ${name}`, created_at: at(1), budget_warned_at: at(2) }],
    memberships: [{ user_id: customer + 1, customer_id: customer + 1, role: 'admin' }],
    rate_cards: [rateCard(customer + 1)],
    template_owners: [{ waba_id: 'shared', name: ownTemplate(customer), customer_id: customer + 1 }],
    template_drafts: [draft(customer + 1)],
    template_draft_files: [sample(customer + 1)],
    template_submissions: [submission(customer + 1)],
  });
  for (const id of [shared, own])
    await insert(store, {
      lines: [
        {
          customer_id: customer + 1,
          name: `Line ${id}`,
          phone_number_id: `10654035224${id}`,
          phone_number: `+1 555 000 ${id}`,
          waba_id: id === shared ? 'shared' : `own-${customer}`,
          verify_token: '',
          window_mode: 'text',
          quality_mode: 'normal',
          created_at: at(id),
          templates_read_at: at(id),
          credentials_refused_at: at(id),
          access_token_sealed: 'sealed',
        },
      ],
      tokens: [1, 2].map((number) => ({
        line_id: id,
        hash: `${id} ${number}`,
        last_four: 'abcd',
        created_at: at(id),
        name: 'n8n',
        revoked_at: number === 1 ? null : at(9),
      })),
      templates: [
        template(id, 'order_ready', 'APPROVED'),
        template(id, 'welcome', 'REJECTED'),
        ...(id === shared ? [template(id, ownTemplate(customer), 'REJECTED')] : []),
      ],
      destinations: [1, 2, 3].map((number) => ({
        line_id: id,
        url: 'https://example.com/hook',
        secret_sealed: 'sealed',
        origin: 'token' as const,
        token_id: (id - 1) * 2 + 1,
        mode: 'split' as const,
        events: '["messages"]',
        created_at: at(number),
        paused_at: number === 2 ? at(9) : null,
        failing_since: number === 1 ? at(8) : null,
        removed_at: number === 3 ? at(9) : null,
      })),
    });
  for (const id of [shared, own]) {
    const [first = 0, second = 0, third = 0] = destinations(id);
    const events = [10, 20, 30, 40].map((time) => ({ id: `evt_${time}_${id}`, time }));
    const common = {
      phone_number_id: `10654035224${id}`,
      waba_id: id === shared ? 'shared' : `own-${customer}`,
    };
    await insert(store, {
      events: [
        ...events.map(({ id: event, time }) => ({
          ...common,
          id: event,
          line_id: id,
          subject: time === 30 ? ('messageStatus' as const) : ('message' as const),
          kind: time === 30 ? 'read' : 'text',
          identity: `message:${event}`,
          contact: time === 20 ? SHARED : contact,
          wamid: `wamid.${event}`,
          body: text(SHARED, `hello ${time}`),
          received_at: at(time),
        })),
        {
          ...common,
          id: `evt_50_${id}`,
          line_id: null,
          subject: 'account',
          kind: 'account_update',
          identity: `account:${id}`,
          contact: null,
          wamid: null,
          body: '{"account":true}',
          received_at: at(50),
        },
      ],
      deliveries: [...events.map(({ id: event }) => event), `evt_50_${id}`].flatMap((event, index) =>
        [first, second, third].map((destination) => ({
          destination_id: destination,
          event_id: event,
          lane: contact,
          sequence: index,
          state: (['pending', 'dead', 'delivered', 'canceled', 'dead'] as const)[index] ?? 'pending',
          attempts: index ? 1 : 0,
          due_at: at(index * 10 + id),
          finished_at: index ? at(60 + index) : null,
        })),
      ),
      attempts: [...events.map(({ id: event }) => event), `evt_50_${id}`].slice(1).flatMap((event, index) =>
        [first, second, third].map((destination) => ({
          destination_id: destination,
          event_id: event,
          number: 1,
          started_at: at(60 + index),
          duration_ms: 5,
          http_status: index === 1 ? 200 : null,
          outcome: index === 1 ? 'delivered' : 'timeout',
          answer: 'answer',
        })),
      ),
      messages: [11, 21, 31].map((time) => ({
        line_id: id,
        wamid: `wamid.sent.${time}.${id}`,
        contact: time === 21 ? SHARED : contact,
        type: 'text',
        accepted_at: at(time + id / 10),
        failed_at: time === 31 ? at(32 + id / 10) : null,
        failure: time === 31 ? '[{"code":131049,"title":"no"}]' : null,
      })),
      sent_bodies: [11, 21, 31].map((time) => ({
        line_id: id,
        wamid: `wamid.sent.${time}.${id}`,
        body: '{"type":"text","text":{"body":"hello from us"}}',
        accepted_at: at(time + id / 10),
      })),
      usage_days: ['line', 'utc'].map((clock) => ({
        ...{ line_id: id, clock: clock as 'line' | 'utc', day: '2026-03-01', direction: 'out' as const },
        ...{ kind: 'text', template: '', category: 'service', type: 'regular', country: 'US' },
        ...{ sent: id, delivered: id, read: 0, failed: 0, received: 0, charged: id },
      })),
      usage_months: [
        {
          ...{ line_id: id, clock: 'utc', month: '2026-03', direction: 'out', kind: 'text', template: '' },
          ...{ category: 'service', type: 'regular', country: 'US' },
          ...{ sent: id, delivered: id, read: 0, failed: 0, received: 0, charged: id },
        },
      ],
      windows: [contact, SHARED, ALIAS].map((one) => ({
        line_id: id,
        contact: one,
        last_inbound_at: at(customer ? 55 : 50),
      })),
      aliases: [
        { line_id: id, contact: SHARED, identity: ALIAS },
        { line_id: id, contact: SHARED, identity: `${contact}9` },
      ],
      opt_outs: [{ line_id: id, contact, state: 'out', at: at(1), word: 'STOP' }],
      automation_pauses: [{ line_id: id, contact, state: 'paused', at: at(customer + 1), until: null }],
      idempotency_keys: [{ line_id: id, key: 'key', body_hash: '', started_at: at(1), answer: '{}' }],
      questions: (['open', 'answered'] as const).map((state) => ({
        id: `${state}-${id}`,
        line_id: id,
        token_id: (id - 1) * 2 + 1,
        contact,
        state,
        accepts: 'text',
        also_forward: 0,
        callback_sealed: 'sealed',
        destination_id: first,
        created_at: at(1),
        expires_at: at(9_000),
        ended_at: state === 'open' ? null : at(2),
        answer_event_id: state === 'open' ? null : `evt_20_${id}`,
      })),
      question_contacts: [{ line_id: id, name: SHARED, state: 'open', question_id: `open-${id}` }],
      gathering: [
        {
          destination_id: first,
          identity: `g${id}`,
          event_id: `evt_10_${id}`,
          contact,
          arrived_at: at(1),
          group_id: id === own ? `group-${id}` : null,
          done_at: null,
          body: '{}',
        },
      ],
      owners: [{ destination_id: first, process_id: 'process' }],
      alert_incidents: [null, at(70)].map((closed) => ({
        ...{ kind: 'destination_failing', subject: `${first} ${closed}`, line_id: id, waba_id: null },
        ...{
          process: null,
          severity: 'warning' as const,
          title: '',
          text: '',
          over: '',
          action: '',
          path: '',
        },
        ...{ waiting: null, since: at(1), opened_at: at(1), closed_at: closed, facts: null },
      })),
      alert_mutes: [
        {
          ...{ kind: null, subject: null, line_id: id, what: '', who: 'ana' },
          ...{ created_at: at(1), until: at(9_000), facts: null },
        },
      ],
    });
  }
  await insert(store, {
    alert_incidents: [
      {
        ...{ kind: 'line_restricted', subject: `account own-${customer}`, line_id: null },
        ...{ waba_id: `own-${customer}`, process: null, severity: 'critical' },
        ...{ title: '', text: '', over: '', action: '', path: '', waiting: null },
        ...{ since: at(1), opened_at: at(1), closed_at: null, facts: null },
      },
    ],
    alert_channels: [
      ['line', String(own)],
      ['account', `own-${customer}`],
    ].map(([scope = '', id = null]) => ({
      ...{ kind: 'webhook', name, settings_sealed: 'sealed', scope: scope as 'line', scope_id: id },
      ...{ origin: 'operator' as const, token_id: null, quiet_from: null, quiet_to: null, time_zone: 'UTC' },
      ...{ remind_hours: null, created_at: at(1), expires_at: null, paused_at: null },
      ...{ failing_since: null, last_failure: null, last_told_at: null, failure: null },
    })),
    alert_notices: [1, 2].map((number) => ({
      ...{ id: `alrt_${customer}_${number}`, channel_id: customer * 2 + number, what: 'opened' as const },
      ...{ kind: 'x', body: '{}', created_at: at(1), next_try_at: at(2), claimed_until: null },
      ...{ last_failure: null, told_at: null },
    })),
    alert_told: [1, 2].map((number) => ({
      ...{
        channel_id: customer * 2 + number,
        kind: 'x',
        subject: 'y',
        incident_id: 1,
        state: 'open' as const,
      },
      ...{ told_at: at(1), times: '[]', notice_id: null, severity: null },
    })),
    audit: [1, 2].map((number) => ({
      ...{
        number: customer * 2 + number,
        at: at(number),
        who: `user of ${customer}`,
        through: 'panel' as const,
      },
      ...{
        address: null,
        action: `line.${customer}`,
        line_id: customer * 2 + number,
        details: '{}',
        hash: '',
      },
    })),
  });
  await insert(store, {
    customer_audit: [1, 2].map((number) => ({
      ...{ customer_id: customer + 1, number, audit_number: customer * 2 + number },
      ...{ details: null, before: '', hash: '' },
    })),
  });
  await store.db
    .updateTable('audit_head')
    .set({ entries: (customer + 1) * 2 })
    .execute();
}

/** The columns with names of contacts and content of messages, by table. */
const CONTENT: { [Name in keyof Schema]?: (keyof Schema[Name])[] } = {
  events: ['identity', 'contact', 'wamid', 'body'],
  messages: ['wamid', 'contact', 'client_ref', 'failure'],
  deliveries: ['lane'],
  attempts: ['answer'],
  sent_bodies: ['wamid', 'body'],
  windows: ['contact'],
  aliases: ['contact', 'identity'],
  opt_outs: ['contact', 'word'],
  automation_pauses: ['contact'],
  questions: ['contact', 'message_id', 'choices', 'answer_message_id'],
  question_contacts: ['name'],
  gathering: ['identity', 'contact', 'body'],
  idempotency_keys: ['key', 'answer'],
};

/** Changes all content of a line. */
export async function changeContent(url: string, line: number): Promise<void> {
  const destinations = `destination_id in (select id from destinations where line_id = ${line})`;
  const isOfLine: Partial<Record<string, string>> = {
    // Also those without a line: their ids end with the line whose destinations receive them.
    events: `substr(id, 8) = '${line}'`,
    deliveries: destinations,
    attempts: destinations,
    gathering: destinations,
  };
  for (const [table, columns] of Object.entries(CONTENT)) {
    const changes = columns.map((column) => `${column} = 'changed ' || coalesce(${column}, '')`);
    await write(url, `update ${table} set ${changes.join()} where ${isOfLine[table] ?? `line_id = ${line}`}`);
  }
}

/** Adds what belongs to the gateway, and thousands of newer rows of the second customer with the same contacts. */
export async function addOthers(store: Store, url: string): Promise<void> {
  await addCustomer(store, 1);
  const { shared, destinations } = idsOf(1);
  const [destination = 0] = destinations(shared);
  // The platform lists the templates of an account for each of its lines.
  await insert(store, {
    template_drafts: [draft(null)],
    template_draft_files: [sample(3)],
    template_submissions: [submission(3)],
    templates: [
      template(idsOf(0).shared, ownTemplate(1), 'REJECTED'),
      template(shared, ownTemplate(0), 'REJECTED'),
    ],
  });
  const event = {
    ...{ line_id: null, subject: 'account' as const, kind: 'account_update', contact: null, wamid: null },
    ...{ phone_number_id: null, body: '{}', received_at: at(55) },
  };
  await insert(store, {
    events: [
      { ...event, id: 'evt_55_nobody', identity: 'nobody', waba_id: null },
      { ...event, id: 'evt_56_account', identity: 'account', waba_id: 'shared' },
    ],
    alert_incidents: ['shared', null].map((account) => ({
      ...{ kind: 'line_restricted', subject: `account ${account}`, line_id: null, waba_id: account },
      ...{
        process: null,
        severity: 'critical' as const,
        title: '',
        text: '',
        over: '',
        action: '',
        path: '',
      },
      ...{ waiting: null, since: at(1), opened_at: at(1), closed_at: at(80), facts: null },
    })),
    alert_channels: [
      ['gateway', null],
      ['account', 'shared'],
    ].map(([scope, id = null]) => ({
      ...{ kind: 'webhook', name: '', settings_sealed: '', scope: scope as 'gateway', scope_id: id },
      ...{ origin: 'operator' as const, token_id: null, quiet_from: null, quiet_to: null, time_zone: 'UTC' },
      ...{ remind_hours: null, created_at: at(1), expires_at: null, paused_at: null },
      ...{ failing_since: null, last_failure: null, last_told_at: null, failure: null },
    })),
    alert_mutes: [
      {
        ...{ kind: 'x', subject: null, line_id: null, what: '', who: 'ana' },
        ...{ created_at: at(1), until: at(9_000), facts: null },
      },
    ],
    alert_marks: [{ kind: 'rule', subject: 'destination_failing', value: '', at: at(1) }],
    replays: [
      {
        ...{ id: 'replay', who: 'ana', what: '', count: 1 },
        ...{ begun_at: at(1), told_at: at(2), came_to: null },
      },
    ],
  });
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${MANY})`;
  const bulk = (into: string, values: string) =>
    write(url, `insert into ${into} ${numbers} select ${values} from numbers`);
  // As text, the same number of digits each.
  const digits = `substr(cast(100000 + n as text), 2)`;
  const body = text(SHARED, 'hello').replaceAll("'", "''");
  await bulk(
    'events (id, line_id, subject, kind, identity, contact, wamid, body, received_at)',
    `'evt_9' || ${digits}, ${shared}, 'message', 'text', 'bulk:' || n,
     case when n % 2 = 0 then '${SHARED}' else '1650556' || ${digits} end, 'wamid.bulk.' || n, '${body}', '${at(90)}'`,
  );
  await bulk(
    'deliveries (destination_id, event_id, state, attempts, due_at, lane, finished_at, sequence)',
    `${destination}, 'evt_9' || ${digits}, case when n % 3 = 0 then 'pending' when n % 3 = 1 then 'dead' else 'delivered' end,
     1, '${at(-90)}', '', '${at(90)}', n`,
  );
  await bulk(
    'attempts (destination_id, event_id, number, started_at, duration_ms, outcome)',
    `${destination}, 'evt_9' || ${digits}, 1, '${at(90)}', 1, case when n % 3 = 2 then 'delivered' else 'timeout' end`,
  );
  await bulk(
    'messages (line_id, wamid, contact, type, accepted_at, failed_at)',
    `${shared}, 'wamid.bulk.' || n, '16505557' || ${digits}, 'text', '${at(91)}', '${at(92)}'`,
  );
  await bulk(
    'sent_bodies (line_id, wamid, body, accepted_at)',
    `${shared}, 'wamid.bulk.' || n, '{"type":"text","text":{"body":"hello from them"}}', '${at(91)}'`,
  );
}
