/**
 * What the rows of the specification and of the contract are tried with: over HTTP, on both databases. The names of
 * these tests are the rows, word for word, so that who reads a row finds its test by searching for it.
 */
import { type NewLine } from '../../../gateway/lines/add-line';
import { type Destination } from '../../../gateway/forwarding/destination';
import { setForwardingUrl } from '../../../gateway/forwarding/destinations/destination-rows';
import { destinationRules } from '../../../gateway/http/destination-address';
import { DATABASES } from '../../support/databases';
import { startPeer, type Answer, type HttpPeer, type Received } from '../../support/http-peer';
import {
  call,
  CONTACT,
  expectRefusal,
  startScene,
  type Json,
  type Reply,
  type Scene,
  type TestLine,
} from '../../support/scene';
import { notification, notify } from '../../support/test-gateway';

export const SECOND = 1000;
export const HOUR = 3600 * SECOND;

/** One gateway for all tests of a file, and a line of its own for each of them. */
export interface World {
  scene: Scene;
  line: TestLine;
  /** The business account of the line. */
  wabaId: string;
}

/** @param more of each line, and settings of the gateway */
export function onEachDatabase(
  section: string,
  rows: (world: World) => void,
  more: { line?: Partial<NewLine>; env?: Record<string, string> } = {},
): void {
  describe.each(DATABASES)(`${section} ($name)`, ({ createUrl }) => {
    const world = {} as World;
    let answers: Scene['upstream']['answers'];
    let accounts = 0;

    beforeAll(async () => {
      // Wrong tokens are many here, all from one address and at one moment.
      world.scene = await startScene(await createUrl(), { GATEWAY_AUTH_FAILURE_RATE: 'off', ...more.env });
      answers = { ...world.scene.upstream.answers };
    });
    beforeEach(async () => {
      Object.assign(world.scene.upstream.answers, answers);
      world.wabaId = `20229012934${String(++accounts).padStart(4, '0')}`;
      world.line = await world.scene.line({ wabaId: world.wabaId, ...more.line });
    });
    afterAll(() => world.scene.stop());

    rows(world);
  });
}

/** A line that leaves the customer service window to upstream: for rows that speak of other things. */
export const WITHOUT_WINDOW: Partial<NewLine> = { window: 'upstream' };

export const JSON_TYPE = { 'content-type': 'application/json' };
export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** Asks an address of the gateway with the token of the line; headers and method as given. */
export const ask = ({ scene, line }: World, path: string, init: RequestInit = {}): Promise<Reply> =>
  call(scene.gateway.url + path, { ...init, headers: { ...bearer(line.token), ...init.headers } });

/** The same with JSON. */
export const post = (world: World, path: string, body: object): Promise<Reply> =>
  ask(world, path, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });

/** A message of a type, with its part under the type's own name. */
export const message = (type: string, part: unknown, more: object = {}): Json => ({
  messaging_product: 'chat',
  to: CONTACT,
  type,
  [type]: part,
  ...more,
});

export const button = (id: string, title: string): object => ({ type: 'reply', reply: { id, title } });

export const buttons = (more: object = {}): Json =>
  message('interactive', {
    type: 'button',
    body: { text: 'Shall we go on?' },
    action: { buttons: [button('yes', 'Yes'), button('no', 'No')] },
    ...more,
  });

export const row = (id: string, more: object = {}): object => ({ id, title: `Row ${id}`, ...more });

/** `count` rows, from `first` on, each with an id of its own. */
export const rowsOf = (count: number, first = 0): object[] =>
  Array.from({ length: count }, (_, index) => row(String(first + index)));

export const list = (sections: object[], more: object = {}, label = 'Choose'): Json =>
  message('interactive', {
    type: 'list',
    body: { text: 'What will it be?' },
    action: { button: label, sections },
    ...more,
  });

export const template = (name: string, components?: object[], language = 'en_US'): Json =>
  message('template', { name, language: { code: language }, ...(components && { components }) });

/** A component with values in order. */
export const values = (type: string, ...texts: string[]): object => ({
  type,
  parameters: texts.map((text) => ({ type: 'text', text })),
});

/** The message is answered 200 and reaches upstream, once. @returns what upstream was sent */
export async function passes({ line }: World, body: object): Promise<Json> {
  const before = line.sent().length;
  const reply = await line.send(body);
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  expect(reply.body).toMatchObject({ success: true });
  const sent = line.sent().slice(before);
  expect(sent).toHaveLength(1);
  return JSON.parse(sent[0] ?? '');
}

/**
 * The answer is a refusal of this kind, holds no secret, and nothing has reached upstream.
 * @param sentBefore what had reached it before
 * @returns what to do next
 */
export function refuses(
  { line }: World,
  reply: Reply,
  status: number,
  errorCode: string,
  code: number,
  sentBefore = 0,
): string {
  const details = expectRefusal(reply, status, errorCode, code);
  for (const secret of [line.token, 'upstream-access-token', 'app-secret-of-this-line'])
    expect(reply.text).not.toContain(secret);
  expect(line.sent()).toHaveLength(sentBefore);
  return details;
}

/** The message is refused for this field. */
export async function refusesField(
  world: World,
  body: object,
  path: string,
  code: 100 | 131008 | 131009 | 131051 = 131009,
): Promise<void> {
  const before = world.line.sent().length;
  const reply = await world.line.send(body);
  refuses(world, reply, 400, 'invalid_payload', code, before);
  expect(reply.body.error.error_data.fields.map((field: { path: string }) => field.path)).toContain(path);
}

/** A template as upstream tells it. */
export const upstreamTemplate = (name: string, more: object = {}): Json => ({
  id: `id of ${name}`,
  name,
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [{ type: 'BODY', text: 'Hello {{1}}' }],
  ...more,
});

/** Upstream has these templates, and the gateway reads them. @returns the answer to that refresh */
export async function synced({ scene, line }: World, ...templates: object[]): Promise<Json> {
  scene.upstream.answers.templates = () => ({ body: { data: templates } });
  const { status, body } = await line.get('/templates?refresh=1&limit=500');
  expect([status, body.refresh]).toEqual([200, { requested: true, performed: true }]);
  return body;
}

/** The record of the one template that upstream has. */
export async function recordOf(world: World, more: object): Promise<Json> {
  const { data } = await synced(world, upstreamTemplate('only_one', more));
  return data.find(({ name }: { name: string }) => name === 'only_one');
}

/** What upstream was asked about the line's templates, and about its phone number. */
export const askedForTemplates = ({ scene, wabaId }: World): Received[] =>
  scene.upstream.asked('templates', wabaId);
export const askedForStatus = ({ scene, line }: World): Received[] =>
  scene.upstream.asked('phoneNumber', line.phoneNumberId);

/** A customer's receiver of events. */
export interface Receiver extends HttpPeer {
  /** The events that came, once there are so many; handshakes are not counted. */
  events(count: number): Promise<{ headers: Received['headers']; text: string; value: Json }[]>;
}

/** The operator sets the line's forwarding URL. */
export const forwardTo = (
  { scene, line }: World,
  url: string,
  secret: string | null = null,
): Promise<Destination> =>
  scene.change((offline) =>
    setForwardingUrl({ ...offline, rules: destinationRules(['127.0.0.0/8']) }, line.id, null, {
      url,
      secret,
    }),
  );

/** A receiver that is closed at the end of the test. */
export async function startReceiver(answer?: (request: Received) => Answer): Promise<Receiver> {
  const peer = await startPeer(answer);
  closing.push(peer.close);
  const events = () => peer.received.filter(({ method }) => method === 'POST');
  return {
    ...peer,
    async events(count) {
      const handshakes = peer.received.length - events().length;
      await peer.untilReceived(count + handshakes);
      return events().map(({ headers, body }) => ({
        headers,
        text: body,
        value: JSON.parse(body).entry[0].changes[0].value,
      }));
    },
  };
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** Upstream tells the gateway something of the line. @param value of the one change, beside metadata */
export async function happened({ scene, line }: World, value: object): Promise<string> {
  const text = JSON.stringify(notification(value, line.phoneNumberId));
  expect(await notify(scene.gateway, text)).toBe(200);
  return text;
}

/** A status of a message, as upstream tells it. @param at seconds */
export const messageStatus = (wamid: string, word: string, at: number, more: object = {}): object => ({
  statuses: [{ id: wamid, status: word, timestamp: String(at), recipient_id: CONTACT, ...more }],
});
