/**
 * Every control route: by these a person, a test or a page plays upstream and the contacts. Adding one is adding it
 * here; `GET /sandbox` lists them as they stand.
 */
import { type SandboxLine } from './account';
import { OUTAGES, type OutageKind } from './conditions';
import { addressOf } from './contact-book';
import { numberOf, objectOf, onlyFields, textOf, wordOf } from './control-body';
import { ControlRefusal } from './control-refusal';
import { durationOf, durationText } from './duration';
import { errorOf, type Failure, type FailureScript, failingNumbers } from './failures';
import { flood } from './flood';
import { lastOf, type Query } from './graph-read';
import { type JsonObject } from './json';
import { accountNotification } from './notifications';
import {
  changeContact,
  contactWrites,
  lineNamed,
  listContacts,
  showContact,
  showConversation,
} from './phone';
import { STATUS_PATHS } from './status-paths';
import { changeTemplate, templateNamed } from './template-life';
import { type Fault, FAULTS } from './transport-fault';
import { type World } from './world';

/** A control request. `lines` are those that it may use. */
export interface ControlCall {
  lines: readonly SandboxLine[];
  params: Record<string, string>;
  query: Query;
  body: JsonObject;
}

export interface ControlRoute {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  does: string;
  /** A body that it takes. */
  example?: JsonObject;
  /** Acts on all lines at once, and so asks for an access to all of them. */
  isForAll?: boolean;
  handle(world: World, call: ControlCall): unknown;
}

/** How far the clock may be moved at once. */
const ADVANCE_MOST = '365d';
/** How long a delay of each answer, and how long an outage, may be. */
const DELAY_MOST = '5m';
const WEATHER_MOST = '1h';
const WEATHER_USUAL = '1m';
/** Requests that one script may let fail. */
const TIMES_MOST = 100_000;

export const CONTROL_ROUTES: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/sandbox',
    does: 'shows the lines, the clock, what is set, and these routes',
    handle: showSandbox,
  },
  {
    method: 'GET',
    path: '/sandbox/contacts',
    does: 'the contacts of a line (?line=…), the one last heard of first',
    handle: (world, { lines, query }) => listContacts(world, lines, lastOf(query.line)),
  },
  {
    method: 'GET',
    path: '/sandbox/contacts/:contact',
    does: 'who a contact is to upstream, and which path messages to it take',
    handle: (world, { params }) => showContact(world, params.contact),
  },
  {
    method: 'POST',
    path: '/sandbox/contacts/:contact',
    does:
      'changes that: "path" is one of ' +
      `${Object.keys(STATUS_PATHS).join(', ')}, for the "next" so many messages or from now on, with the "code" of a ` +
      'failure; "wa_id", "user_id" and "username" are what upstream calls the contact',
    example: { path: 'delivered' },
    isForAll: true,
    handle: (world, { params, body }) => changeContact(world, params.contact, body),
  },
  {
    method: 'GET',
    path: '/sandbox/contacts/:contact/messages',
    does: 'the conversation, as the contact sees it',
    handle: (world, { lines, params, query }) =>
      showConversation(world, lines, params.contact, lastOf(query.line)),
  },
  {
    method: 'POST',
    path: '/sandbox/contacts/:contact/messages',
    does:
      'the contact writes {"text": "Hello"}, taps {"button": "title or id"}, chooses {"row": "title or id"}, fills in ' +
      '{"flow": {…}}, sends {"image": true} (video, audio, voice, document, sticker, location, contacts, order), reacts ' +
      '{"reaction": "👍"}, edits {"edit": "new text"}, takes back {"delete": true}, changes its number ' +
      '{"number_change": "…"} or sends something {"unsupported": true}; with "message": "wamid.…" it answers that ' +
      'message, "name" is its profile name, "forwarded", "forwarded_often", "referral" and "product" stand beside; ' +
      '"line" is the phone number id of the line, not needed where there is only one',
    example: { text: 'Hello' },
    handle: (world, { lines, params, body }) => contactWrites(world, lines, params.contact, body),
  },
  {
    method: 'GET',
    path: '/sandbox/media/:media',
    does: 'the file that a message of a contact or of a line names by its id',
    handle: (world, { lines, params }) => {
      const file = world.media.find(params.media, lines);
      if (!file) throw new ControlRefusal('There is no such file, or no longer.', 404);
      return new Response(new Uint8Array(file.bytes), { headers: { 'content-type': file.type } });
    },
  },
  {
    method: 'POST',
    path: '/sandbox/flood',
    does: 'many messages and statuses at once, 1000 together at most, in one notification or in so many',
    example: { messages: 600, statuses: 400, notifications: 1 },
    handle: (world, { lines, body }) => {
      onlyFields(body, ['messages', 'statuses', 'notifications', 'line']);
      return flood(world, lineNamed(lines, body.line), body);
    },
  },
  {
    method: 'GET',
    path: '/sandbox/errors',
    does: 'every error that upstream documents, and the numbers that provoke it',
    handle: failingNumbers,
  },
  {
    method: 'GET',
    path: '/sandbox/failures',
    does: 'the failures that are still to come',
    handle: (world, { lines }) => ({ failures: scriptsOf(world, lines).map(shownScript) }),
  },
  {
    method: 'POST',
    path: '/sandbox/failures',
    does:
      'lets the next "times" sends fail with "code", as an "answer" or as a later "status" ("as"), or by a "fault" ' +
      `(${FAULTS.join(', ')}); of one "line" or "contact"; "on": "everything" lets every request of the line fail`,
    example: { code: 131026, times: 3, as: 'status' },
    handle: addScript,
  },
  {
    method: 'DELETE',
    path: '/sandbox/failures',
    does: 'takes them back',
    handle: (world, { lines }) => {
      world.failures.remove((script) => isOf(script, lines));
      return { failures: scriptsOf(world, lines).map(shownScript) };
    },
  },
  {
    method: 'POST',
    path: '/sandbox/lines/:line',
    does:
      'what upstream tells of a line: "quality_rating", "status", "messaging_limit", "name_status", ' +
      '"vanished_fields"; upstream announces what it announces',
    example: { quality_rating: 'RED' },
    handle: changeLine,
  },
  {
    method: 'POST',
    path: '/sandbox/notifications',
    does: 'an account notification of any "field" with any "value", of the business account of a "line"',
    example: { field: 'account_update', value: { event: 'ACCOUNT_DELETED' } },
    handle: (world, { lines, body }) => {
      onlyFields(body, ['field', 'value', 'line']);
      const { wabaId } = lineNamed(lines, body.line);
      const field = textOf(body.field, 'field', 100);
      const value = objectOf(body.value, 'value');
      return { notifications: [announce(world, wabaId, field, value)] };
    },
  },
  {
    method: 'GET',
    path: '/sandbox/templates',
    does: 'the templates of the business account of a line (?line=…)',
    handle: (world, { lines, query }) => {
      const { wabaId } = lineNamed(lines, lastOf(query.line));
      const templates = world.templates
        .of(wabaId)
        .map(({ id, name, language, status, category, quality_score: { score } }) => ({
          id,
          name,
          language,
          status,
          category,
          quality: score,
        }));
      return { waba: wabaId, templates };
    },
  },
  {
    method: 'POST',
    path: '/sandbox/templates/:template',
    does:
      'what upstream lets happen to a template, given by name (and "language") or id: "event" APPROVED, REJECTED (with ' +
      '"reason"), PAUSED, DISABLED, FLAGGED, REINSTATED, DELETED …, "quality", "category"',
    example: { event: 'APPROVED' },
    handle: (world, { lines, params, body }) => {
      const { wabaId } = lineNamed(lines, body.line);
      const template = templateNamed(world, wabaId, params.template, body.language);
      changeTemplate(world, wabaId, template, body);
      const { id, name, language, status, category, quality_score: quality } = template;
      return { id, name, language, status, category, quality: quality.score };
    },
  },
  {
    method: 'GET',
    path: '/sandbox/clock',
    does: 'what time it is in the sandbox',
    handle: (world) => showClock(world),
  },
  {
    method: 'POST',
    path: '/sandbox/clock',
    does: 'lets time pass: "advance" is a duration such as "25h"; time only goes forward',
    example: { advance: '25h' },
    isForAll: true,
    handle: async (world, { body }) => {
      onlyFields(body, ['advance']);
      world.clock.advance(durationOf(body.advance, 'advance', ADVANCE_MOST));
      await world.keep({ clockAhead: world.clock.aheadBy });
      return showClock(world);
    },
  },
  {
    method: 'POST',
    path: '/sandbox/latency',
    does: 'lets each answer take "delay" and up to "spread" more, "for" a time',
    example: { delay: '300ms', spread: '200ms', for: WEATHER_USUAL },
    isForAll: true,
    handle: (world, { body }) => {
      onlyFields(body, ['delay', 'spread', 'for']);
      const delay = durationOf(body.delay, 'delay', DELAY_MOST);
      const spread = durationOf(body.spread ?? '0s', 'spread', DELAY_MOST);
      world.conditions.slowDown(delay, spread, durationOf(body.for ?? WEATHER_USUAL, 'for', WEATHER_MOST));
      return shownConditions(world);
    },
  },
  {
    method: 'DELETE',
    path: '/sandbox/latency',
    does: 'ends it',
    isForAll: true,
    handle: (world) => {
      world.conditions.speedUp();
      return shownConditions(world);
    },
  },
  {
    method: 'POST',
    path: '/sandbox/outage',
    does: `an outage "for" a time, of a "kind": ${Object.entries(OUTAGES)
      .map(([kind, does]) => `${kind} (${does})`)
      .join(', ')}`,
    example: { kind: 'unavailable', for: WEATHER_USUAL },
    isForAll: true,
    handle: async (world, { body }) => {
      onlyFields(body, ['kind', 'for']);
      const kind = wordOf(body.kind, 'kind', Object.keys(OUTAGES) as OutageKind[]);
      await world.conditions.breakDown(kind, durationOf(body.for ?? WEATHER_USUAL, 'for', WEATHER_MOST));
      return shownConditions(world);
    },
  },
  {
    method: 'DELETE',
    path: '/sandbox/outage',
    does: 'ends it, unless connections are refused: that ends by itself',
    isForAll: true,
    handle: async (world) => {
      await world.conditions.end();
      return shownConditions(world);
    },
  },
  {
    method: 'POST',
    path: '/sandbox/reset',
    does: 'forgets one "contact", or everything but the clock',
    example: { contact: '12025550147' },
    isForAll: true,
    handle: reset,
  },
];

/** "/sandbox/contacts/:contact" → "/sandbox/contacts/{contact}" */
const written = ({ method, path }: ControlRoute): string => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;

function showSandbox(world: World, { lines }: ControlCall): JsonObject {
  return {
    sandbox: 'A simulated upstream. Nothing that is sent here reaches a real phone.',
    clock: showClock(world),
    lines: lines.map((line) => ({
      line: line.phoneNumberId,
      phone_number: line.displayPhoneNumber,
      name: line.verifiedName,
      waba: line.wabaId,
      ...world.lineStates.of(line),
    })),
    paths: world.paths.contacts().map((contact) => ({ contact, ...world.paths.shown(contact) })),
    failures: scriptsOf(world, lines).map(shownScript),
    ...shownConditions(world),
    routes: Object.fromEntries(
      CONTROL_ROUTES.map((route) => [
        written(route),
        { does: route.does, ...(route.example && { example: route.example }) },
      ]),
    ),
  };
}

const showClock = (world: World): JsonObject => ({
  now: world.now().toISOString(),
  ahead: durationText(world.clock.aheadBy),
});

function shownConditions(world: World): JsonObject {
  const { latency, outage } = world.conditions.shown();
  return {
    latency: latency
      ? {
          delay: durationText(latency.delay),
          spread: durationText(latency.spread),
          until: latency.until.toISOString(),
        }
      : null,
    outage: outage ? { kind: outage.kind, until: outage.until.toISOString() } : null,
  };
}

function addScript(world: World, { lines, body }: ControlCall): JsonObject {
  onlyFields(body, ['code', 'as', 'fault', 'times', 'on', 'line', 'contact']);
  const failure = failureOf(body);
  const on = wordOf(body.on ?? 'sends', 'on', ['sends', 'everything']);
  if (on === 'everything' && (failure.as === 'status' || body.contact !== undefined)) {
    throw new ControlRefusal('"on": "everything" goes with an answer or a fault, and without a contact.');
  }
  const script: FailureScript = {
    failure,
    on,
    times: numberOf(body.times ?? 1, 'times', 1, TIMES_MOST),
    line: lineNamed(lines, body.line).phoneNumberId,
    ...(body.contact !== undefined && {
      contact: world.contacts.at(addressOf(textOf(body.contact, 'contact', 150))).id,
    }),
  };
  world.failures.add(script);
  return shownScript(script);
}

function failureOf(body: JsonObject): Failure {
  const { code, fault, as } = body;
  if ((code === undefined) === (fault === undefined) || (fault !== undefined && as !== undefined)) {
    throw new ControlRefusal(
      'Say what happens with "code" (and "as") or with "fault": {"code": 131026, "as": "status"} or {"fault": 502}.',
    );
  }
  if (fault === undefined)
    return { as: wordOf(as ?? 'answer', 'as', ['answer', 'status']), error: errorOf(code) };
  const known = FAULTS.find((each): each is Fault => each === fault);
  if (known === undefined)
    throw new ControlRefusal(`"fault" is one of ${FAULTS.map((each) => JSON.stringify(each)).join(', ')}.`);
  return { as: 'fault', fault: known };
}

const shownScript = ({ failure, times, on, line, contact }: FailureScript): JsonObject => ({
  ...(failure.as === 'fault'
    ? { fault: failure.fault }
    : { code: failure.error.code, title: failure.error.title, as: failure.as }),
  times,
  on,
  line,
  ...(contact !== undefined && { contact }),
});

const isOf = (script: FailureScript, lines: readonly SandboxLine[]): boolean =>
  lines.some((line) => line.phoneNumberId === script.line);

const scriptsOf = (world: World, lines: readonly SandboxLine[]): FailureScript[] =>
  world.failures.all().filter((script) => isOf(script, lines));

function changeLine(world: World, { lines, params, body }: ControlCall): JsonObject {
  const line = lineNamed(lines, params.line);
  const announced = world.lineStates.change(line, body, world.now());
  return {
    line: line.phoneNumberId,
    ...world.lineStates.of(line),
    notifications: announced.map(({ field, value }) => announce(world, line.wabaId, field, value)),
  };
}

/** What is on its way to the callback. */
function announce(world: World, wabaId: string, field: string, value: JsonObject): JsonObject {
  void world.callbacks.send(wabaId, accountNotification(wabaId, world.now(), field, value));
  return { field, value };
}

async function reset(world: World, { body }: ControlCall): Promise<JsonObject> {
  onlyFields(body, ['contact']);
  const contact =
    body.contact === undefined
      ? undefined
      : world.contacts.at(addressOf(textOf(body.contact, 'contact', 150))).id;
  world.journeys.forget(contact);
  world.conversations.forget(contact);
  world.paths.forget(contact);
  world.contacts.forget(contact);
  world.failures.remove((script) => contact === undefined || script.contact === contact);
  await world.keep({ forget: contact === undefined ? {} : { contact } });
  if (contact !== undefined) return { reset: contact };
  world.lineStates.forget();
  world.templates.forget();
  world.conditions.speedUp();
  await world.conditions.end();
  return { reset: 'everything' };
}
