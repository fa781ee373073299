import { testChannel } from '../../../gateway/alerts/use-cases/test-channel';
import { addPanelUser, formTokenIn, loggedIn, type Visitor } from '../../support/panel/visitor';
import { call, imageTo, sceneOf, type TestLine } from '../../support/scene';
import { ACTOR, addAlertChannel, alertTemplate } from '../alerts/support';

const RATE = 25;
const scene = sceneOf(undefined, { GATEWAY_LINE_RATE: String(RATE) });
let ana: Visitor;
beforeAll(async () => {
  await addPanelUser(scene, 'ana');
  ana = await loggedIn(scene);
});

const TO = '12025550147';
const AT = '2026-03-10T11:00:00.000Z';
const MESSAGE = {
  ...{ messaging_product: 'whatsapp', to: TO, type: 'template' },
  template: {
    ...{ name: 'gateway_alert', language: { code: 'en' } },
    components: [{ type: 'body', parameters: ['One', 'Two'].map((text) => ({ type: 'text', text })) }],
  },
};

const post = (line: TestLine, path: string, body: object) =>
  call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Everybody who sends a message. @returns the sentence of the refusal, as its reader gets it */
const CALLERS: Record<string, (line: TestLine) => Promise<string>> = {
  api: async (line) => (await line.send(MESSAGE)).body.error?.error_data.details,
  batch: async (line) => {
    const { status, body } = await post(line, '/messages/batch', { messages: [{ message: MESSAGE }] });
    return (status === 200 ? body.results[0].body : body).error?.error_data.details;
  },
  panel: async (line) => {
    const { request } = ana.context;
    const page = `${scene.gateway.url}/panel/lines/${line.id}/send?kind=json`;
    const answer = await request.post(page, {
      form: {
        ...{ kind: 'json', to: TO, json: JSON.stringify(MESSAGE) },
        form_token: formTokenIn(await (await request.get(page)).text()),
      },
      headers: { origin: scene.gateway.url },
      maxRedirects: 0,
    });
    const [, told = ''] = /<strong>Not sent.<\/strong> (.*?)<\/p>/s.exec(await answer.text()) ?? [];
    return told.replaceAll('&quot;', '"');
  },
  alert: async (line) => {
    const channel = await addAlertChannel(scene, 'whatsapp', {
      ...{ line: line.phoneNumberId, to: `+${TO}`, template: 'gateway_alert', language: 'en' },
    });
    await scene.change((world) => testChannel(world, ACTOR, null, channel, null));
    await scene.gateway.lookForAlerts();
    return (await scene.change(({ store }) => store.alerts.channel(channel.id)))?.last_failure ?? '';
  },
};

/** What refuses the message, and a part of its sentence. */
const REFUSALS: [string, RegExp, (line: TestLine) => Promise<unknown>][] = [
  [
    'to a contact who has opted out',
    /wants no more messages/,
    (line) => post(line, '/opt-outs', { contact: TO }),
  ],
  ['by a line that WhatsApp rates low', /rates this line LOW/, (line) => line.rated('RED')],
  [
    'by a line that is not rated yet and wants to be',
    /rated/,
    (line) => line.edit({ quality_mode: 'strict' }),
  ],
  ['by a line that is deactivated', /deactivated|switched off/, (line) => line.edit({ deactivated_at: AT })],
  ['by a line whose API is switched off', /API/, (line) => line.edit({ api_disabled_at: AT })],
  ['by a line without an access token', /token/, (line) => line.edit({ access_token_sealed: null })],
  [
    'of a template that WhatsApp has paused',
    /paused/,
    (line) => scene.change(({ store }) => store.templates.insertStarters([alertTemplate(line.id, 'PAUSED')])),
  ],
  [
    'to a contact who has had too many messages',
    /seconds/,
    async (line) => {
      for (let count = 0; count < 45; count++) expect((await line.send(MESSAGE)).status).toBe(200);
    },
  ],
  [
    'by a line that sends too fast',
    /messages a second/,
    async (line) => {
      for (let count = 0; count < 2 * RATE; count++)
        expect((await line.send(imageTo(`120255501${String(count).padStart(2, '0')}`))).status).toBe(200);
    },
  ],
];

test.each(REFUSALS)('a message %s is refused to everybody alike', async (_what, sentence, refuse) => {
  const line = await scene.line();
  await refuse(line);
  await scene.change(({ store }) => store.templates.insertStarters([alertTemplate(line.id)]));
  const before = line.sent().length;
  const told: Record<string, string> = {};
  for (const [caller, send] of Object.entries(CALLERS)) told[caller] = await send(line);

  expect(told.api).toMatch(sentence);
  expect(told).toEqual({
    api: told.api,
    batch: told.api,
    panel: told.api,
    alert: told.api?.slice(0, 400),
  });
  expect(line.sent()).toHaveLength(before);
});
