/**
 * All control routes, with which people, tests and pages control the platform and the contacts. Add new
 * routes here; `GET /sandbox` lists them.
 */
import { type SandboxLine } from './platform/account';
import { announce } from './platform/announce';
import { OUTAGES, type OutageKind } from './faults/network-conditions';
import { addressOf } from './contacts/contact-store';
import { errorOf, lineNamed, numberOf, objectOf, onlyFields, textOf, wordOf } from './control/body';
import { ControlRefusal } from './control/refusal';
import { durationOf, durationText } from './control/duration';
import { type Failure, type FailureScript, failingNumbers } from './faults/failure-scripts';
import { flood } from './faults/flood';
import { lastOf, type QueryParameters } from './platform/read';
import { type JsonObject } from './platform/json';
import { changeContact, contactWrites, listContacts, showContact, showConversation } from './contacts/phone';
import { type Template } from './templates/starter-templates';
import { STATUS_PATHS } from './contacts/status-paths';
import { changeTemplate, templateNamed } from './templates/template-life';
import { type Fault, FAULTS } from './faults/transport-fault';
import { type SandboxDeps } from './dependencies';

/** A control request. `lines` are the lines that the caller may use. */
export interface ControlCall {
  lines: readonly SandboxLine[];
  /** Values of the path parameters. */
  params: Readonly<Record<'contact' | 'line' | 'media' | 'template', string>>;
  query: QueryParameters;
  body: JsonObject;
}

export interface ControlRoute {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  does: string;
  /** An example of an accepted body. */
  example?: JsonObject;
  /** Whether the route affects all lines and so requires access to all of them. */
  isForAll?: boolean;
  handle(deps: SandboxDeps, call: ControlCall): unknown;
}

/** The most that one request can advance the clock. */
const ADVANCE_MOST = '365d';
/** The longest delay of each answer, and the longest duration of a condition. */
const DELAY_MOST = '5m';
const CONDITION_MOST = '1h';
const CONDITION_USUAL = '1m';
/** The most requests that one script can make fail. */
const TIMES_MOST = 100_000;

/** Routes by method and path. */
const ROUTES: Record<string, Omit<ControlRoute, 'method' | 'path'>> = {
  'GET /sandbox': {
    does: 'shows the lines, the clock, what is set, and these routes',
    handle: showSandbox,
  },
  'GET /sandbox/contacts': {
    does: 'the contacts of a line (?line=…), the one last heard of first',
    handle: (deps, { lines, query }) => listContacts(deps, lines, lastOf(query.line)),
  },
  'GET /sandbox/contacts/:contact': {
    does: 'who a contact is to the platform, and which path messages to it take',
    handle: (deps, { params }) => showContact(deps, params.contact),
  },
  'POST /sandbox/contacts/:contact': {
    does:
      'changes that: "path" is one of ' +
      `${Object.keys(STATUS_PATHS).join(', ')}, for the "next" so many messages or from now on, with the "code" of a ` +
      'failure; "wa_id", "user_id" and "username" are what the platform calls the contact',
    example: { path: 'delivered' },
    isForAll: true,
    handle: (deps, { params, body }) => changeContact(deps, params.contact, body),
  },
  'GET /sandbox/contacts/:contact/messages': {
    does: 'the conversation, as the contact sees it',
    handle: (deps, { lines, params, query }) =>
      showConversation(deps, lines, params.contact, lastOf(query.line)),
  },
  'POST /sandbox/contacts/:contact/messages': {
    does:
      'the contact writes {"text": "Hello"}, taps {"button": "title or id"}, chooses {"row": "title or id"}, fills in ' +
      '{"flow": {…}}, sends {"image": true} (video, audio, voice, document, sticker, location, contacts, order), reacts ' +
      '{"reaction": "👍"}, edits {"edit": "new text"}, takes back {"delete": true}, changes its number ' +
      '{"number_change": "…"} or sends something {"unsupported": true}; with "message": "wamid.…" it answers that ' +
      'message, "name" is its profile name, "forwarded", "forwarded_often", "referral" and "product" are optional; ' +
      '"line" is the phone number id of the line, not needed where there is only one',
    example: { text: 'Hello' },
    handle: (deps, { lines, params, body }) => contactWrites(deps, lines, params.contact, body),
  },
  'GET /sandbox/media/:media': {
    does: 'the file that a message of a contact or of a line names by its id',
    handle: (deps, { lines, params }) => {
      const file = deps.media.find(params.media, lines);
      if (!file) throw new ControlRefusal('There is no such file, or no longer.', 404);
      const headers = { 'content-type': file.type, 'x-sandbox-line': file.line };
      return new Response(new Uint8Array(file.bytes), { headers });
    },
  },
  'POST /sandbox/flood': {
    does: 'many messages and statuses at once, 1000 together at most, in one notification or in so many',
    example: { messages: 600, statuses: 400, notifications: 1 },
    handle: (deps, { lines, body }) => {
      onlyFields(body, ['messages', 'statuses', 'notifications', 'line']);
      return flood(deps, lineNamed(lines, body.line), body);
    },
  },
  'GET /sandbox/errors': {
    does: 'every error that the platform documents, and the numbers that provoke it',
    handle: failingNumbers,
  },
  'GET /sandbox/failures': {
    does: 'the failures that are still to come',
    handle: (deps, { lines }) => ({ failures: scriptsOf(deps, lines).map(shownScript) }),
  },
  'POST /sandbox/failures': {
    does:
      'lets the next "times" sends fail with "code", as an "answer" or as a later "status" ("as"), or by a "fault" ' +
      `(${FAULTS.join(', ')}); of one "line" or "contact"; "on": "everything" lets every request of the line fail`,
    example: { code: 131026, times: 3, as: 'status' },
    handle: addScript,
  },
  'DELETE /sandbox/failures': {
    does: 'takes them back',
    handle: (deps, { lines }) => {
      deps.failures.remove((script) => isOf(script, lines));
      return { failures: scriptsOf(deps, lines).map(shownScript) };
    },
  },
  'POST /sandbox/lines/:line': {
    does:
      'what the platform reports about a line: "quality_rating", "status", "messaging_limit", "name_status", ' +
      '"code_verification_status", "platform_type", "throughput", "is_pin_enabled", "is_in_account" (false: its ' +
      'business account does not list it), "vanished_fields"; the platform announces what it announces',
    example: { quality_rating: 'RED' },
    handle: changeLine,
  },
  'POST /sandbox/account': {
    does:
      'what the platform reports about the business account of a "line": "account_review_status", ' +
      '"business_verification_status", "primary_funding_id" (null: no payment method, so charged messages fail), "timezone_id" and ' +
      '"is_subscribed" (false: the account sends no notifications)',
    example: { primary_funding_id: null },
    handle: (deps, { lines, body: { line, ...changes } }) => {
      const { wabaId } = lineNamed(lines, line);
      return { waba: wabaId, ...deps.accountStates.change(wabaId, changes) };
    },
  },
  'POST /sandbox/token': {
    does:
      'what the platform reports about the access token of a "line": "type", "expires_at" (seconds since 1970, 0 for ' +
      'never), "scopes" and "accounts" (ids of business accounts, null for those of its lines); a token that has ' +
      'expired or lacks a permission is refused',
    example: { type: 'USER', expires_at: 1_800_000_000 },
    handle: (deps, { lines, body: { line, ...changes } }) => {
      const { accessToken, phoneNumberId } = lineNamed(lines, line);
      return { line: phoneNumberId, ...deps.accountStates.changeToken(accessToken, changes) };
    },
  },
  'POST /sandbox/notifications': {
    does: 'an account notification of any "field" with any "value", of the business account of a "line"',
    example: { field: 'account_update', value: { event: 'ACCOUNT_DELETED' } },
    handle: (deps, { lines, body }) => {
      onlyFields(body, ['field', 'value', 'line']);
      const { wabaId } = lineNamed(lines, body.line);
      const field = textOf(body.field, 'field', 100);
      const value = objectOf(body.value, 'value');
      return { notifications: [announce(deps, wabaId, field, value)] };
    },
  },
  'GET /sandbox/templates': {
    does: 'the templates of the business account of a line (?line=…)',
    handle: (deps, { lines, query }) => {
      const { wabaId } = lineNamed(lines, lastOf(query.line));
      return { waba: wabaId, templates: deps.templates.of(wabaId).map(shownTemplate) };
    },
  },
  'POST /sandbox/templates/:template': {
    does:
      'what the platform lets happen to a template, given by name (and "language") or id: "event" APPROVED, REJECTED (with ' +
      '"reason"), PAUSED, DISABLED, FLAGGED, REINSTATED, DELETED …, "quality", "category"',
    example: { event: 'APPROVED' },
    handle: (deps, { lines, params, body }) => {
      const { wabaId } = lineNamed(lines, body.line);
      const template = templateNamed(deps, wabaId, params.template, body.language);
      changeTemplate(deps, wabaId, template, body);
      return shownTemplate(template);
    },
  },
  'GET /sandbox/review': {
    does: 'how new and edited templates of the business account of a line (?line=…) are reviewed',
    handle: (deps, { lines, query }) => shownReview(deps, lineNamed(lines, lastOf(query.line))),
  },
  'POST /sandbox/review': {
    does:
      'reviews them by a "mode": manual (POST /sandbox/templates/{template} decides), approve, reject (with "reason") or ' +
      'recategorise (approves in another "category"), at once or "after" a time; of the business account of a "line"',
    example: { mode: 'approve', after: '5s' },
    handle: (deps, { lines, body }) => {
      const line = lineNamed(lines, body.line);
      deps.reviews.change(line.wabaId, body);
      return shownReview(deps, line);
    },
  },
  'GET /sandbox/book': {
    does:
      'what happened to the messages that the lines sent, even if no status reported it: counts by line, UTC day, ' +
      'pricing category and type, and country',
    handle: (deps, { lines }) => ({
      rows: deps.book.rows(lines.map(({ phoneNumberId }) => phoneNumberId)),
      dropped: deps.book.droppedCount,
    }),
  },
  'GET /sandbox/clock': {
    does: 'what time it is in the sandbox',
    handle: (deps) => showClock(deps),
  },
  'POST /sandbox/clock': {
    does:
      'lets time pass: "advance" is a duration such as "25h"; time only goes forward; "header_ahead" sets how far the ' +
      'Date header of answers is ahead of this machine',
    example: { advance: '25h' },
    isForAll: true,
    handle: async (deps, { body }) => {
      onlyFields(body, ['advance', 'header_ahead']);
      const { advance, header_ahead: header } = body;
      if (header !== undefined) deps.clock.headerAhead = durationOf(header, 'header_ahead', ADVANCE_MOST);
      if (advance !== undefined || header === undefined)
        deps.clock.advance(durationOf(advance, 'advance', ADVANCE_MOST));
      await deps.keep({ clockAhead: deps.clock.aheadBy });
      return showClock(deps);
    },
  },
  'POST /sandbox/latency': {
    does: 'lets each answer take "delay" and up to "spread" more, "for" a time',
    example: { delay: '300ms', spread: '200ms', for: CONDITION_USUAL },
    isForAll: true,
    handle: (deps, { body }) => {
      onlyFields(body, ['delay', 'spread', 'for']);
      const delay = durationOf(body.delay, 'delay', DELAY_MOST);
      const spread = durationOf(body.spread ?? '0s', 'spread', DELAY_MOST);
      deps.conditions.slowDown(delay, spread, durationOf(body.for ?? CONDITION_USUAL, 'for', CONDITION_MOST));
      return shownConditions(deps);
    },
  },
  'DELETE /sandbox/latency': {
    does: 'ends it',
    isForAll: true,
    handle: (deps) => {
      deps.conditions.speedUp();
      return shownConditions(deps);
    },
  },
  'POST /sandbox/outage': {
    does: `an outage "for" a time, of a "kind": ${Object.entries(OUTAGES)
      .map(([kind, does]) => `${kind} (${does})`)
      .join(', ')}`,
    example: { kind: 'unavailable', for: CONDITION_USUAL },
    isForAll: true,
    handle: async (deps, { body }) => {
      onlyFields(body, ['kind', 'for']);
      const kind = wordOf(body.kind, 'kind', Object.keys(OUTAGES) as OutageKind[]);
      await deps.conditions.breakDown(kind, durationOf(body.for ?? CONDITION_USUAL, 'for', CONDITION_MOST));
      return shownConditions(deps);
    },
  },
  'DELETE /sandbox/outage': {
    does: 'ends it, unless connections are refused: that ends by itself',
    isForAll: true,
    handle: async (deps) => {
      await deps.conditions.end();
      return shownConditions(deps);
    },
  },
  'POST /sandbox/reset': {
    does: 'forgets one "contact", or everything but the clock',
    example: { contact: '12025550147' },
    isForAll: true,
    handle: reset,
  },
};

export const CONTROL_ROUTES = Object.entries(ROUTES).map(([name, route]): ControlRoute => {
  const [method, path = ''] = name.split(' ');
  return { method: method as ControlRoute['method'], path, ...route };
});

/** "/sandbox/contacts/:contact" → "/sandbox/contacts/{contact}" */
const written = ({ method, path }: ControlRoute): string => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;

function showSandbox(deps: SandboxDeps, { lines }: ControlCall): JsonObject {
  return {
    sandbox: 'A simulated platform. Nothing that is sent here reaches a real phone.',
    clock: showClock(deps),
    lines: lines.map((line) => ({
      line: line.phoneNumberId,
      phone_number: line.displayPhoneNumber,
      name: line.verifiedName,
      waba: line.wabaId,
      ...deps.lineStates.of(line),
    })),
    accounts: [...new Set(lines.map(({ wabaId }) => wabaId))].map((waba) => ({
      waba,
      ...deps.accountStates.of(waba),
    })),
    paths: deps.paths.contacts().map((contact) => ({ contact, ...deps.paths.shown(contact) })),
    failures: scriptsOf(deps, lines).map(shownScript),
    ...shownConditions(deps),
    routes: Object.fromEntries(
      CONTROL_ROUTES.map((route) => [
        written(route),
        { does: route.does, ...(route.example && { example: route.example }) },
      ]),
    ),
  };
}

const showClock = (deps: SandboxDeps): JsonObject => ({
  now: deps.now().toISOString(),
  ahead: durationText(deps.clock.aheadBy),
  ...(deps.clock.headerAhead > 0 && { header_ahead: durationText(deps.clock.headerAhead) }),
});

function shownConditions(deps: SandboxDeps): JsonObject {
  const { latency, outage } = deps.conditions.shown();
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

function addScript(deps: SandboxDeps, { lines, body }: ControlCall): JsonObject {
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
    contact: contactIn(deps, body),
  };
  deps.failures.add(script);
  return shownScript(script);
}

/** Returns the ID of the contact in the body; undefined if the body names none. */
const contactIn = ({ contacts }: SandboxDeps, { contact }: JsonObject): string | undefined =>
  contact === undefined ? undefined : contacts.at(addressOf(textOf(contact, 'contact', 150))).id;

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

const scriptsOf = (deps: SandboxDeps, lines: readonly SandboxLine[]): FailureScript[] =>
  deps.failures.all().filter((script) => isOf(script, lines));

const shownTemplate = ({ id, name, language, status, category, quality_score }: Template): JsonObject => ({
  id,
  name,
  language,
  status,
  category,
  quality: quality_score.score,
});

const shownReview = ({ reviews }: SandboxDeps, { wabaId }: SandboxLine): JsonObject => ({
  waba: wabaId,
  ...reviews.shown(wabaId),
});

function changeLine(deps: SandboxDeps, { lines, params, body }: ControlCall): JsonObject {
  const line = lineNamed(lines, params.line);
  const announced = deps.lineStates.change(line, body, deps.now());
  return {
    line: line.phoneNumberId,
    ...deps.lineStates.of(line),
    notifications: announced.map(({ field, value }) => announce(deps, line.wabaId, field, value)),
  };
}

async function reset(deps: SandboxDeps, { body }: ControlCall): Promise<JsonObject> {
  onlyFields(body, ['contact']);
  const contact = contactIn(deps, body);
  deps.timelines.forget(contact);
  deps.conversations.forget(contact);
  deps.paths.forget(contact);
  deps.contacts.forget(contact);
  deps.failures.remove((script) => contact === undefined || script.contact === contact);
  await deps.keep({ forget: contact === undefined ? {} : { contact } });
  if (contact !== undefined) return { reset: contact };
  deps.lineStates.forget();
  deps.accountStates.forget();
  deps.managed.forget();
  deps.reviews.forget();
  deps.book.forget();
  deps.templates.forget();
  deps.clock.headerAhead = 0;
  deps.conditions.speedUp();
  await deps.conditions.end();
  return { reset: 'everything' };
}
