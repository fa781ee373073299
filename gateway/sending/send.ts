import { parseExactly } from '../cloud-api/json/exact-json';
import { asRead } from '../cloud-api/validate/as-read';
import {
  isRecipient,
  isToGroup,
  recipientOf,
  type MarkAsRead,
  type MessageRequest,
  type TemplateMessage,
} from '../cloud-api/validate/message-request';
import { asksToMarkAsRead, validateMessage } from '../cloud-api/validate/validate-message';
import { budgetReached, contactOptedOut, invalidPayload, templateNotFound, type Refusal } from '../errors';
import { traceOf, traceparent, type Trace } from '../http/trace-context';
import { accessTokenOf, refuseLine, type Line } from '../lines/line';
import { lineQuality, refuseByQuality } from '../lines/quality';
import { type Refresher } from '../lines/refresh';
import { needsWindow, refuseOutsideWindow } from '../messages/customer-service-window';
import { isOptedOut } from '../messages/opt-outs';
import { type KnownTemplates } from '../templates/known-templates';
import { preflight } from '../templates/preflight';
import { type SyncTemplates } from '../templates/sync-templates';
import { handOver, markAsRead, type HandOverDeps } from './hand-over';
import { earlierAnswer, readIdempotencyKey, sendKey, sendUnderKey } from './idempotent-send';
import { type SendRates } from './send-rates';

export interface SendDeps extends HandOverDeps {
  sendRates: SendRates;
  knownTemplates: KnownTemplates;
  refresher: Refresher;
  syncTemplates: SyncTemplates;
  log: { error(facts: object, message: string): void };
}

/** The sender: a program with a line's token, a user in the panel, or an alert. */
export type Origin = 'token' | 'operator' | 'alert';

export interface Send {
  line: Line;
  origin: Origin;
  /** The body as parsed. */
  request: Record<string, unknown>;
  /** The bytes of the body. */
  raw: Buffer;
  /** All values of `Idempotency-Key` in the request. */
  keys?: string[] | undefined;
  /** The id of the question in the message. */
  asks?: string;
  requestId: string;
  trace: Trace;
}

/** A send whose body the gateway itself writes. @param key two sends with the same key are made once */
export function ownSend(
  line: Line,
  origin: Exclude<Origin, 'token'>,
  request: Record<string, unknown>,
  key?: string,
): Send {
  const trace = traceOf(undefined);
  const raw = Buffer.from(JSON.stringify(request));
  return { line, origin, request, raw, keys: key === undefined ? [] : [key], requestId: trace.id, trace };
}

/** The response to the sender, also for repeated requests under the same key. */
export interface SendAnswer {
  success: true;
  messaging_product: 'whatsapp';
  /** `contacts` and `messages` are the platform's, unchanged. */
  contacts?: { input?: string; wa_id?: string; user_id?: string }[];
  messages: { id: string; message_status?: string }[];
  chat_message_id: string;
  gateway: ReturnType<typeof gatewayOfAnswer>;
}

interface Check {
  /**
   * When the check runs: on arrival, after the message is parsed, or just before sending. A `content` refusal is
   * replaced by the response stored under the same key. A `departure` refusal frees the key.
   */
  at: 'arrival' | 'content' | 'departure';
  skips?: Origin[];
  refuse(deps: SendDeps, send: Send): Refused;
}

type Refused = Promise<Refusal | null> | Refusal | null;

/** Every check of a send, in the order documented by the API, and the senders that skip it. */
const CHECKS: Check[] = [
  { at: 'arrival', refuse: (_deps, { line }) => refuseLine(line) },
  // The API already counted the request before it read the body.
  { at: 'arrival', skips: ['token'], refuse: refuseByLineRate },
  { at: 'arrival', refuse: (_deps, { line }) => refuseByQuality(line) },
  { at: 'arrival', refuse: refuseBody },
  { at: 'content', refuse: refuseOptedOut },
  { at: 'content', refuse: refuseByWindow },
  { at: 'content', refuse: refuseTemplate },
  { at: 'content', skips: ['alert'], refuse: refuseByBudget },
  { at: 'departure', refuse: refuseByPairRate },
];

/** @throws Refusal */
async function check(deps: SendDeps, send: Send, at: Check['at']): Promise<void> {
  for (const one of CHECKS) {
    if (one.at !== at || one.skips?.includes(send.origin)) continue;
    const refusing = one.refuse(deps, send);
    // Most checks answer from memory, without a promise.
    const refused = refusing instanceof Promise ? await refusing : refusing;
    if (refused) throw refused;
  }
}

/**
 * Sends one message, or marks one as read. All senders use this function.
 * @throws Refusal, or the platform's failure (`cloud-api/failures.ts`)
 */
export async function send(
  deps: SendDeps,
  asked: Send,
): Promise<{ answer: SendAnswer | { success: true }; isReplayed: boolean }> {
  const { line, origin, requestId } = asked;
  await check(deps, asked, 'arrival');
  const { request, raw } = asPlatformReads(asked);
  const { id, phoneNumberId } = line;
  const from = { id, phoneNumberId, accessToken: accessTokenOf(line), traceparent: traceparent(asked.trace) };
  if (asksToMarkAsRead(request)) {
    await markAsRead(deps.cloudApi, from, request as MarkAsRead, raw);
    return { answer: { success: true }, isReplayed: false };
  }

  const message = request as MessageRequest;
  const judged = { ...asked, request };
  const word = readIdempotencyKey(asked.keys);
  const key = word === null ? null : sendKey(id, word, asked.raw);
  try {
    await check(deps, judged, 'content');
  } catch (refused) {
    // A message sent earlier with this key returns its response, even if it would be refused now.
    const earlier = key && (await earlierAnswer<SendAnswer>(deps, key));
    if (earlier) return { answer: earlier, isReplayed: true };
    throw refused;
  }

  // Messages from users and alerts are always readable in the panel, even if the line does not store messages from
  // programs.
  const isKept = (origin !== 'token' || line.keepsSent) && !(await isLogInCode(deps, id, message));
  const sendNow = async (): Promise<SendAnswer> => {
    await check(deps, judged, 'departure');
    return handOver(deps, {
      ...{ from, message, raw, key, isKept, asks: asked.asks },
      answerOf: (accepted) => ({
        success: true,
        messaging_product: 'whatsapp',
        ...accepted,
        chat_message_id: accepted.messages[0]?.id ?? '',
        gateway: gatewayOfAnswer(line, requestId),
      }),
      onUnrecorded: (error, wamid) =>
        deps.log.error({ error, wamid, requestId }, 'accepted message not recorded'),
    });
  };
  if (!key) return { answer: await sendNow(), isReplayed: false };
  return sendUnderKey(deps, key, sendNow, (error) =>
    deps.log.error({ error, requestId }, 'outcome not kept under its idempotency key'),
  );
}

/** The line's part of a response. */
export const gatewayOfAnswer = (line: Line, requestId: string) => ({
  line: line.id,
  quality: lineQuality(line) ?? 'UNKNOWN',
  request_id: requestId,
});

/** The same body, byte for byte unless a field needs the platform's form. */
function asPlatformReads({ request, raw }: Send): Pick<Send, 'request' | 'raw'> {
  const read = asRead(request);
  if (read === request) return { request, raw };
  const exact = parseExactly(new TextDecoder().decode(raw)) as Record<string, unknown>;
  return { request: read, raw: Buffer.from(JSON.stringify(asRead(exact, parseExactly))) };
}

async function refuseByLineRate({ sendRates }: SendDeps, { line }: Send): Promise<Refusal | null> {
  return (await sendRates.takeLine(line.id))?.refused ?? null;
}

function refuseBody(_deps: SendDeps, { request }: Send): Refusal | null {
  const issues = validateMessage(request);
  return issues.length ? invalidPayload(issues) : null;
}

function refuseOptedOut(deps: SendDeps, send: Send): Refused {
  return send.line.optOutWords === null ? null : refuseListed(deps, send);
}

/** A contact who opted out still gets a requested login code. */
async function refuseListed(deps: SendDeps, { line, request }: Send): Promise<Refusal | null> {
  const message = request as MessageRequest;
  // A number with `recipient_type: group` is still the number of a contact.
  const contact = recipientOf(isRecipient(message.to ?? '') ? { to: message.to } : message);
  if (!(await isOptedOut(deps, line, contact)) || (await isLogInCode(deps, line.id, message))) return null;
  return contactOptedOut(contact);
}

/** Whether the message is a template of the category authentication. */
const isLogInCode = async (deps: SendDeps, lineId: number, message: MessageRequest): Promise<boolean> =>
  (await categoryOf(deps, lineId, message)) === 'authentication';

/** The category of a template, in lower case; null for other messages and unknown templates. */
async function categoryOf(
  { knownTemplates }: SendDeps,
  lineId: number,
  message: MessageRequest,
): Promise<string | null> {
  if (message.type !== 'template') return null;
  const { name, language } = message.template as TemplateMessage;
  const template = await knownTemplates.find(lineId, name, language.code);
  return template?.category.toLowerCase() ?? null;
}

/** Groups are left to the platform. */
function refuseByWindow({ windows }: SendDeps, { line, request }: Send): Refused {
  const message = request as MessageRequest;
  if (isToGroup(message) || !needsWindow(line.windowMode, message.type)) return null;
  const contact = recipientOf(message);
  const refuse = (at: number | null) => refuseOutsideWindow(contact, at, windows.now());
  const lastInboundAt = windows.lastInboundAt(line.id, contact);
  return lastInboundAt instanceof Promise ? lastInboundAt.then(refuse) : refuse(lastInboundAt);
}

/** A template that is not stored may be new: the platform is asked once per cooldown, and then decides. */
function refuseTemplate(deps: SendDeps, send: Send): Refused {
  return (send.request as MessageRequest).type === 'template' ? refuseUnfit(deps, send) : null;
}

async function refuseUnfit(deps: SendDeps, { line, request }: Send): Promise<Refusal | null> {
  const message = request as MessageRequest;
  const { name, language } = message.template as TemplateMessage;
  const find = () => deps.knownTemplates.find(line.id, name, language.code);
  let template = await find();
  if (!template) {
    if (await deps.store.templates.isOthers(line, name)) return templateNotFound(132001);
    const sync = { ...line, accessToken: accessTokenOf(line) };
    await deps.refresher.refresh(line, 'templates', 'gateway', () => deps.syncTemplates(sync), false);
    template = await find();
  }
  return template && preflight(message.template as TemplateMessage, template);
}

function refuseByBudget(deps: SendDeps, { line, request }: Send): Refused {
  if (!line.holdsMarketing) return null;
  const refuse = (category: string | null) => (category === 'marketing' ? budgetReached() : null);
  return categoryOf(deps, line.id, request as MessageRequest).then(refuse);
}

/** Of several requests under the same key, only one counts. */
function refuseByPairRate({ sendRates }: SendDeps, { line, request }: Send): Refused {
  return sendRates.takePair(line.id, recipientOf(request as MessageRequest));
}
