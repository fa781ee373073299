import { type ConditionKind } from '../../../gateway/alerts/conditions/kind';
import { CONDITION_KINDS, KINDS } from '../../../gateway/alerts/kinds';
import { commandActor, offline } from '../../../gateway/cli/offline';
import { addLine, type EnteredLine } from '../../../gateway/lines/add-line';
import { editLine } from '../../../gateway/lines/edit-line';
import { type LineRow } from '../../../gateway/store/tables/lines';
import { command } from '../cli/support';
import { addPanelUser, formTokenIn, loggedIn, PASSWORD, type Visitor } from '../../support/panel/visitor';
import { rows, write } from '../../support/rows';
import { call, sceneOf, type TestLine } from '../../support/scene';
import { secretFile } from '../../support/secret-file';

/** What the panel, the API and the commands all refuse. An edge that does not take a value is left out. */
interface Refused {
  what: string;
  /** The path after the line's, with the body. */
  api?: [path: string, body: object];
  /** The path, with the fields of the form. */
  panel?: [path: string, fields: Record<string, string>];
  command?: string[];
}

const scene = sceneOf();
let line: TestLine;
let ana: Visitor;
/** Destinations: with headers, with raw notifications, the forwarding URL, and one that waits until a contact pauses. */
const HEADED = 1;
const RAW = 2;
const FORWARDING = 3;
const WAITING = 4;
/** The phone number ID of the first line of a scene. */
const TID = '106540352242901';
/** And that of the second one. */
const OTHER = '106540352242902';

const URL_OF = 'https://one.example.com/hook';
const FILTER = { kinds: 'messages', mode: 'split', quiet_seconds: '', headers: '' };
const channel = (settings: Record<string, string>) => ({
  ...{ channel_name: 'Ours', scope: 'gateway', time_zone: 'UTC', remind: '24' },
  ...settings,
});
const EMAIL = {
  ...{ to: 'ana@example.com', from: 'gateway@example.com', host: 'smtp.example.com' },
  ...{ security: 'starttls', port: '', user: '', password: '' },
};
/** The form of the alert rules. */
const THRESHOLDS = Object.fromEntries(
  CONDITION_KINDS.map((kind) => [
    `n-${kind}`,
    String((KINDS[kind] as ConditionKind).threshold?.default ?? ''),
  ]),
);
const fields = (more: Record<string, string> = {}) => ({
  ...{ name: 'Shop', phone_number_id: TID, waba_id: '102290129340301' },
  ...{ phone_number: '15550783881', window: 'text', quality: 'normal', ...more },
});
/** A new line, as the panel's form has it. */
const NEW = {
  ...{ name: 'New', phone_number_id: '106540352242999', waba_id: '102290129340999' },
  ...{ phone_number: '+1 555-078-3881', access_token: 'a-token', app_secret: 'a-secret' },
};
const added = (more: Record<string, string>) => [
  ...[
    'line',
    'add',
    '--access-token-file',
    secretFile('a-token'),
    '--app-secret-file',
    secretFile('a-secret'),
  ],
  ...Object.entries({
    ...{ name: 'New', 'phone-number-id': '106540352242999', 'waba-id': '102290129340999' },
    ...{ 'phone-number': '+1 555-078-3881', ...more },
  }).flatMap(([name, value]) => [`--${name}`, value]),
];

beforeAll(async () => {
  line = await scene.line();
  await scene.line();
  const bare = await scene.line({ accessToken: null });
  const at = new Date().toISOString();
  await scene.change(({ store }) =>
    store.alerts.openIncidents([
      {
        ...{ kind: 'line_credentials', subject: String(bare.id), line_id: bare.id, waba_id: null },
        ...{ process: null, severity: 'critical', title: 'It has no access token', waiting: null },
        ...{ text: 'Nothing can be sent through it.', over: '', action: '', path: '/panel', since: at },
        opened_at: at,
      },
    ]),
  );
  await addPanelUser(scene, 'ana');
  ana = await loggedIn(scene);
  const headers = secretFile('Authorization: Bearer of-the-receiver');
  const add = ['destination', 'add', TID, '--url', URL_OF];
  for (const words of [
    [...add, '--header-file', headers],
    [...add, '--mode', 'raw'],
    ['line', 'edit', TID, '--forward-url', URL_OF],
    [...add, '--quiet-seconds', '10'],
    ['destination', 'edit', String(FORWARDING), '--header-file', headers],
  ])
    expect(await command(words, scene.gateway.env)).toMatchObject({ code: 0 });
});

/** Access tokens and app secrets. */
const CREDENTIALS: [what: string, secret: string][] = [
  ['over two lines', 'of-the-\nline'],
  ['with a space', 'of the-line'],
  ['with an invisible character', 'of-the\u200b-line'],
  ['of 2,049 characters', 'x'.repeat(2_049)],
];

const refusals: Refused[] = [
  ...[
    ['a name of 201 characters', 'name', 'x'.repeat(201)],
    ['a name of two lines', 'name', 'Shop\tof Ana'],
    ['a name that turns the direction', 'name', 'Shop \u202egpj.exe'],
    ['a name with a space of no width', 'name', 'Sh\u200bop'],
    ['a phone number ID that is a word', 'phone_number_id', 'shop'],
    ['a phone number ID of 65 digits', 'phone_number_id', '1'.repeat(65)],
    ['an account ID that is a word', 'waba_id', 'shop'],
    ['a phone number without its digits', 'phone_number', '+1'],
    ['a phone number of 21 digits', 'phone_number', '1'.repeat(21)],
    ['another window', 'window', 'open'],
    ['no name', 'name', ''],
    ['no phone number ID', 'phone_number_id', ''],
    ['no account ID', 'waba_id', ''],
  ].flatMap(([what = '', field = '', value = '']): Refused[] => {
    const option = field.replaceAll('_', '-');
    return [
      {
        what: `${what}, of a line`,
        panel: [`/lines/1`, fields({ [field]: value })],
        command: ['line', 'edit', TID, `--${option}`, value],
      },
      {
        what: `${what}, of a new line`,
        ...(field !== 'window' && { panel: ['/lines', { ...NEW, [field]: value }] }),
        command: added({ [option]: value }),
      },
    ];
  }),
  ...[
    ['another quality check', 'quality', 'best'],
    ['automations paused for no number of hours', 'pause_hours', 'x'],
    ['automations paused for a year', 'pause_hours', '8761'],
  ].map(([what = '', field = '', value = '']): Refused => ({
    what,
    panel: [`/lines/1`, fields({ [field]: value })],
    command: ['line', 'edit', TID, `--${field.replace('_', '-')}`, value],
  })),
  {
    what: 'the phone number ID of another line',
    panel: [`/lines/1`, fields({ phone_number_id: OTHER })],
    command: ['line', 'edit', TID, '--phone-number-id', OTHER],
  },
  {
    what: 'the phone number ID as account ID, of a line',
    panel: [`/lines/1`, fields({ waba_id: TID })],
    command: ['line', 'edit', TID, '--waba-id', TID],
  },
  {
    what: 'the account ID as phone number ID, of a line',
    command: ['line', 'edit', TID, '--phone-number-id', '102290129340301'],
  },
  {
    what: 'the phone number ID as account ID, of a new line',
    panel: ['/lines', { ...NEW, waba_id: NEW.phone_number_id }],
    command: added({ 'waba-id': NEW.phone_number_id }),
  },
  ...CREDENTIALS.flatMap(([what, secret]) =>
    ['access_token', 'app_secret'].map((field) => ({
      what: `an ${field.replace('_', ' ')} ${what}`,
      panel: [`/lines/1`, fields({ [field]: secret })] as [string, Record<string, string>],
      command: ['line', 'edit', TID, `--${field.replace('_', '-')}-file`, secretFile(secret)],
    })),
  ),
  ...[
    ['a URL of 2,100 characters', `https://example.com/${'x'.repeat(2_100)}`],
    ['a URL with a password', 'https://ana:secret@example.com/'],
    ['a URL of another scheme', 'ftp://example.com/'],
    ['a URL of the own network', 'http://10.0.0.1/'],
    ['no URL at all', 'example'],
  ].flatMap(([what = '', url = '']): Refused[] => [
    {
      what: `${what}, of a destination`,
      api: ['/destinations', { url }],
      panel: [`/lines/1/destinations`, { ...FILTER, url }],
      command: ['destination', 'add', TID, '--url', url],
    },
    {
      what: `${what}, of a line's forwarding`,
      panel: [`/lines/1/forwarding`, { url }],
      command: ['line', 'edit', TID, '--forward-url', url],
    },
    {
      what: `${what}, of an alert channel`,
      api: ['/alert-webhooks', { url }],
      panel: ['/alerts/channels/new/webhook', channel({ url })],
    },
  ]),
  ...['too short', 'x'.repeat(513)].flatMap((secret): Refused[] => [
    {
      what: `a secret of ${secret.length} characters`,
      api: ['/destinations', { url: URL_OF, secret }],
      command: [...['destination', 'add', TID, '--url', URL_OF], ...['--secret-file', secretFile(secret)]],
    },
    {
      what: `a new secret of ${secret.length} characters`,
      command: ['destination', 'rotate', String(HEADED), '--secret-file', secretFile(secret)],
    },
    {
      what: `a secret of forwarding of ${secret.length} characters`,
      command: ['line', 'edit', TID, '--forward-secret-file', secretFile(secret)],
    },
    {
      what: `a secret of an alert channel of ${secret.length} characters`,
      api: ['/alert-webhooks', { url: URL_OF, secret }],
      panel: ['/alerts/channels/new/webhook', channel({ url: URL_OF, secret })],
    },
  ]),
  ...['Host: a', 'Expect: 100-continue', 'Keep-Alive: 5', 'Upgrade: h2c', 'X Y: a', 'X: é'].flatMap(
    (header): Refused[] => {
      const [name = '', value = ''] = header.split(': ');
      return [
        {
          what: `the header ${header} of a destination`,
          api: ['/destinations', { url: URL_OF, headers: { [name]: value } }],
          panel: [`/lines/1/destinations`, { ...FILTER, url: URL_OF, headers: header }],
          command: [
            ...['destination', 'add', TID, '--url', URL_OF],
            ...['--header-file', secretFile(header)],
          ],
        },
        {
          what: `the header ${header} of an alert channel`,
          panel: [
            '/alerts/channels/new/other',
            channel({ url: URL_OF, type: 'text', body: 'a', headers: header }),
          ],
        },
      ];
    },
  ),
  ...[
    ['a mail server that is no address', { host: '1.2.3.999' }],
    ['another encryption of mail', { security: 'ssl' }],
    ['mail to nobody', { to: '' }],
    ['quiet hours without a beginning', { quiet_to: '07:00' }],
    ['no lines', { scope: '' }],
    ['no time zone', { time_zone: 'Mars' }],
  ].map(([what, settings]): Refused => ({
    what: `${what as string}, of an alert channel`,
    panel: ['/alerts/channels/new/email', channel({ ...EMAIL, ...(settings as object) })],
  })),
  {
    what: 'an alert channel that lasts for ever',
    api: ['/alert-webhooks', { url: URL_OF, expires_in: 1e9 }],
  },
  {
    what: 'a pause of 301 seconds',
    api: ['/destinations', { url: URL_OF, quiet_seconds: 301 }],
    panel: [`/lines/1/destinations`, { ...FILTER, url: URL_OF, quiet_seconds: '301' }],
    command: ['destination', 'add', TID, '--url', URL_OF, '--quiet-seconds', '301'],
  },
  {
    what: 'raw notifications that wait for a pause',
    api: ['/destinations', { url: URL_OF, mode: 'raw', quiet_seconds: 10 }],
    panel: [`/lines/1/destinations`, { ...FILTER, url: URL_OF, mode: 'raw', quiet_seconds: '10' }],
    command: [...['destination', 'add', TID, '--url', URL_OF], ...['--mode', 'raw', '--quiet-seconds', '10']],
  },
  {
    what: 'a pause where notifications come raw',
    panel: [`/lines/1/destinations/${RAW}`, { ...FILTER, url: URL_OF, mode: 'raw', quiet_seconds: '10' }],
    command: ['destination', 'edit', String(RAW), '--quiet-seconds', '10'],
  },
  {
    what: 'raw notifications from where a pause is waited for',
    panel: [`/lines/1/destinations/${WAITING}`, { ...FILTER, url: URL_OF, mode: 'raw', quiet_seconds: '10' }],
    command: ['destination', 'edit', String(WAITING), '--mode', 'raw'],
  },
  ...['', 'x', '1.5', '-1', '10000'].flatMap((overlap): Refused[] => [
    {
      what: `an overlap of "${overlap}" hours, of a token`,
      panel: ['/tokens/1/rotate', { overlap }],
      command: ['token', 'rotate', '1', `--overlap=${overlap}`],
    },
    {
      what: `an overlap of "${overlap}" hours, of a secret`,
      panel: [`/lines/1/destinations/${HEADED}/rotate`, { overlap }],
      command: ['destination', 'rotate', String(HEADED), `--overlap=${overlap}`],
    },
  ]),
  ...['0', 'x', '1.5', '87601'].map((hours): Refused => ({
    what: `a mute of ${hours} hours`,
    panel: ['/alerts/mute', { incident: '1', what: 'this', hours }],
    command: ['alert', 'mute', '--hours', hours],
  })),
  ...[
    ['in the past', { until: '1999-01-01' }],
    ['that is no time', { until: 'tomorrow' }],
    ['in a hundred years', { until: '2126-01-01T00:00:00Z' }],
    ['at a time and in hours', { until: '2036-01-01T00:00:00Z', hours: '8' }],
  ].map(([what, end]): Refused => ({
    what: `a mute that ends ${what as string}`,
    command: [
      'alert',
      'mute',
      ...Object.entries(end as object).flatMap(([name, value]) => [`--${name}`, value]),
    ],
  })),
  ...[
    ['in the past', { until: '1999-01-01' }],
    ['that is no time', { until: 'tomorrow' }],
    ['in a hundred years', { until: '2126-01-01T00:00:00Z' }],
  ].map(([what, end]): Refused => ({
    what: `a pause of automations that ends ${what as string}`,
    api: ['/automation-pauses', { contact: '12025550147', ...(end as object) }],
  })),
  ...['0', 'x', '1441', ''].map((threshold): Refused => ({
    what: `an alert rule about ${threshold || 'no'} minutes`,
    panel: ['/alerts/rules', { ...THRESHOLDS, 'n-deliveries_late': threshold }],
  })),
  {
    what: 'no kind of events',
    api: ['/destinations', { url: URL_OF, events: [] }],
    panel: [`/lines/1/destinations`, { url: URL_OF, mode: 'split' }],
    command: ['destination', 'add', TID, '--url', URL_OF, '--events', ''],
  },
  ...[
    'https://two.example.com/hook',
    'http://one.example.com/hook',
    'https://one.example.com:444/hook',
  ].flatMap((url): Refused[] => [
    {
      what: `stored headers that would go to ${url}`,
      panel: [`/lines/1/destinations/${HEADED}`, { ...FILTER, url }],
      command: ['destination', 'edit', String(HEADED), '--url', url],
    },
    {
      what: `stored headers of forwarding that would go to ${url}`,
      panel: [`/lines/1/forwarding`, { url }],
      command: ['line', 'edit', TID, '--forward-url', url],
    },
  ]),
  {
    what: 'a name of a token of 61 characters',
    panel: ['/tokens', { line: '1', name: 'x'.repeat(61), scope: 'send', expires: '' }],
    command: ['token', 'create', TID, '--name', 'x'.repeat(61)],
  },
  ...['n8n\u2066', 'n8n\u200fx', 'n\u200d8n'].flatMap((name): Refused[] => [
    {
      what: `the name ${JSON.stringify(name)} of a token`,
      panel: ['/tokens', { line: '1', name, scope: 'send', expires: '' }],
      command: ['token', 'create', TID, '--name', name],
    },
    {
      what: `the name ${JSON.stringify(name)} of an alert channel`,
      panel: ['/alerts/channels/new/webhook', channel({ channel_name: name, url: URL_OF })],
    },
    {
      what: `the opt-out word ${JSON.stringify(name)}`,
      panel: ['/lines/1/opt-outs/words', { out: name, back: '' }],
      command: ['opt-out', 'words', TID, '--out', name],
    },
  ]),
  ...['sending', '1999-01-01'].map((expires): Refused => ({
    what: `a token that expires at ${expires}`,
    panel: ['/tokens', { line: '1', name: 'A', scope: 'send', expires }],
    command: ['token', 'create', TID, '--expires-at', expires],
  })),
  ...['write'].map((scope): Refused => ({
    what: `the scope ${scope} of a token`,
    panel: ['/tokens', { line: '1', name: 'A', scope, expires: '' }],
    command: ['token', 'create', TID, '--scopes', scope],
  })),
  {
    what: 'other answers to a token',
    panel: ['/tokens', { line: '1', name: 'A', scope: 'send', answers: 'graph', expires: '' }],
    command: ['token', 'create', TID, '--answers', 'graph'],
  },
  {
    what: 'no scope of a token',
    panel: ['/tokens', { line: '1', name: 'A', expires: '' }],
    command: ['token', 'create', TID, '--scopes', ''],
  },
  ...['', 'with space', '-first', 'x'.repeat(65), 'ana'].map((name) => ({
    what: `the name "${name}" of a user`,
    panel: ['/users', { name, role: 'viewer' }] as [string, Record<string, string>],
    command: ['user', 'add', '--role', 'viewer', '--', name],
  })),
  {
    what: 'another role',
    panel: ['/users', { name: 'ben', role: 'god' }],
    command: ['user', 'add', 'ben', '--role', 'god'],
  },
  ...['too short', 'x'.repeat(1_001), 'x'.repeat(12), 'ana-ana-ana-ana'].map((password) => ({
    what: `a password of ${password.length} characters`,
    panel: ['/profile/password', { password, again: password, current: PASSWORD }] as [
      string,
      Record<string, string>,
    ],
    command: ['user', 'reset', 'ana', '--password-file', secretFile(password)],
  })),
  ...[
    ['a word of 41 characters', 'x'.repeat(41), ''],
    ['51 words', Array.from({ length: 51 }, (_, index) => `w${index}`).join(), ''],
    ['one word for both', 'stop', 'STOP!'],
  ].map(([what, out = '', back = '']): Refused => ({
    what: `${what as string} to opt out`,
    panel: ['/lines/1/opt-outs/words', { out, back }],
    command: ['opt-out', 'words', TID, '--out', out, '--back', back],
  })),
  ...['', 'Ana', '1'.repeat(30)].map((contact) => ({
    what: `"${contact}" on the opt-out list`,
    api: ['/opt-outs', { contact }] as [string, object],
    panel: [`/lines/1/opt-outs`, { contact }] as [string, Record<string, string>],
    command: ['opt-out', 'add', TID, contact],
  })),
];

/** What a refusal leaves as it was. When a token was last used is written later, at some time. */
const kept = async () =>
  JSON.stringify(
    await Promise.all(
      [
        ...['lines', 'destinations', 'alert_channels', 'alert_rules', 'alert_mutes', 'users', 'opt_outs'].map(
          (table) => `* FROM ${table}`,
        ),
        'id, hash, name, scopes, expires_at, revoked_at FROM tokens',
      ].map((columns) => rows(scene.databaseUrl, `SELECT ${columns} ORDER BY 1, 2`)),
    ),
  );

/** A field and what is wrong with it. */
type Issue = [field: string, sentence: string];

async function ofApi([path, body]: [path: string, body: object]): Promise<Issue[]> {
  const answer = await call(`${scene.gateway.url}/v22.0/${TID}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(400);
  const { fields } = (answer.body.error as { error_data: { fields: { path: string; message: string }[] } })
    .error_data;
  return fields.map((one) => [one.path, one.message.replace(`${one.path}: `, '')]);
}

async function ofPanel([path, form]: [path: string, form: Record<string, string>]): Promise<Issue[]> {
  const { request } = ana.context;
  const form_token = formTokenIn(await (await request.get(`${scene.gateway.url}/panel/lines/new`)).text());
  const answer = await request.post(`${scene.gateway.url}/panel${path}`, {
    form: { ...form, form_token },
    headers: { origin: scene.gateway.url },
    maxRedirects: 0,
  });
  expect(answer.status()).toBe(422);
  const html = await answer.text();
  expect(html).toContain('class="fault"');
  return [...html.matchAll(/<a href="#field-([\w-]+)">([^<]*)<\/a>/g)].map(
    ([, field = '', sentence = '']) => [
      field,
      sentence.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'),
    ],
  );
}

/** The fields that commands take as words without an option. */
const WORDS: Record<string, string> = { 'opt-out': 'contact', user: 'name' };

async function ofCommand(words: string[]): Promise<Issue[]> {
  const { code, stderr } = await command(words, scene.gateway.env);
  expect(code).toBe(2);
  return stderr
    .trim()
    .split('\n')
    .map((said) => {
      const word = WORDS[words[0] ?? ''] ?? '';
      const [, field = word, sentence = said] = /^--([\w-]+): (.*)$/.exec(said) ?? [];
      return [field.replace(/-file$/, '').replaceAll('-', '_'), sentence];
    });
}

/** Fields that the form or the option calls otherwise. */
const ALSO: Record<string, string> = {
  ...{ kinds: 'events', header: 'headers', channel_name: 'name', scope: 'scopes', expires: 'expires_at' },
  ...{ forward_url: 'url', forward_secret: 'secret' },
};

test.each(refusals)('$what is refused by each, for the same reason', async (refused) => {
  const before = await kept();
  const { api, panel, command: words } = refused;
  const issues = [
    api && (await ofApi(api)),
    panel && (await ofPanel(panel)),
    words && (await ofCommand(words)),
  ]
    .filter((found) => found !== undefined)
    .map((found) => found.map(([field, sentence]) => [ALSO[field] ?? field, sentence]));
  const [first = []] = issues;
  expect(first).not.toEqual([]);
  expect(issues).toEqual(issues.map(() => first));
  expect(await kept()).toBe(before);
});

test.each(CREDENTIALS)(
  'the use cases themselves refuse an access token and an app secret %s',
  async (_what, secret) => {
    const before = await kept();
    await offline(scene.gateway.env, async (deps) => {
      const [row] = await deps.store.lines.all();
      const created: EnteredLine = {
        ...{ name: 'New', phoneNumberId: '106540352242999', phoneNumber: '15550783881' },
        ...{ wabaId: '102290129340999', accessToken: 'a-token', appSecret: 'a-secret', windowMode: 'text' },
      };
      for (const [field, path] of [
        ['accessToken', 'access_token'],
        ['appSecret', 'app_secret'],
      ] as const) {
        const refused = { error: { error_data: { fields: [{ path }] } } };
        const change = { [field]: secret };
        await expect(editLine(deps, commandActor(), null, row as LineRow, change)).rejects.toMatchObject(
          refused,
        );
        const added = addLine(deps, commandActor(), null, { ...created, ...change }, async () => ({}));
        await expect(added).rejects.toMatchObject(refused);
      }
    });
    expect(await kept()).toBe(before);
  },
);

test('a name with hidden characters that a line has from before can stay', async () => {
  const name = 'Sh\u200bop';
  await write(scene.databaseUrl, `UPDATE lines SET name = '${name}' WHERE id = 1`);
  for (const words of [
    ['--window', 'all'],
    ['--name', name, '--window', 'text'],
  ])
    expect(await command(['line', 'edit', TID, ...words], scene.gateway.env)).toMatchObject({ code: 0 });
  const { request } = ana.context;
  const form_token = formTokenIn(await (await request.get(`${scene.gateway.url}/panel/lines/new`)).text());
  const answer = await request.post(`${scene.gateway.url}/panel/lines/1`, {
    form: { ...fields({ name, quality: 'strict' }), form_token },
    headers: { origin: scene.gateway.url },
    maxRedirects: 0,
  });
  expect(answer.status()).toBe(303);
  expect(await rows(scene.databaseUrl, `SELECT name, quality_mode FROM lines WHERE id = 1`)).toEqual([
    { name, quality_mode: 'strict' },
  ]);
});
