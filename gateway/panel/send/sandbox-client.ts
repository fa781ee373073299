/**
 * Requests to the sandbox, sent by the server and never by the browser. Messages contain what contacts and
 * senders wrote, so their content is `unknown`.
 */
import { Buffer } from 'node:buffer';
import { type Json } from '../../cloud-api/json/json-value';
import { SECOND } from '../../time';
import { refusalWords } from './refusal-words';

export interface PhoneContact {
  contact: string;
  name: string | null;
  last_wrote: string | null;
  window: { open: boolean; expires_at: string | null };
  last_message: PhoneMessage | null;
}

export interface PhoneStatus {
  status: string;
  at: string;
  /** The error code of a failed message. */
  code?: number;
  title?: string;
  details?: string;
}

export interface PhoneFile {
  mime_type: string;
  bytes: number;
}

export interface PhoneMessage extends Json {
  id: string;
  direction: 'to_contact' | 'from_contact';
  at: string;
  type: string;
  /** The message's files that the sandbox stores, by id. */
  files?: Record<string, PhoneFile>;
  /** A template's parts. */
  card?: { header?: string; body: string; footer?: string; buttons: Json[] };
  replies_to?: string;
  statuses: PhoneStatus[];
}

export interface PhoneConversation {
  contact: string;
  name: string | null;
  window: { open: boolean; expires_at: string | null };
  messages: PhoneMessage[];
}

/** The simulations for one contact. */
export interface Switches {
  path: { path: string; code?: number };
  next: { path: string; code?: number; times: number } | null;
}

/** The simulations for all contacts. */
export interface NetworkReport {
  clock: { now: string; ahead: string };
  latency: { delay: string; until: string } | null;
  outage: { kind: string; until: string } | null;
  failures: {
    code?: number;
    title?: string;
    fault?: unknown;
    times: number;
    line: string;
    contact?: string;
  }[];
}

/** The sandbox refused the request. The message is for people. */
export class SandboxRefusal extends Error {}

/** The sandbox doesn't answer. */
export class SandboxUnavailable extends Error {}

const ANSWER_WITHIN = 10 * SECOND;
const FILE_MOST = 100 * 1024 * 1024;

async function ask(sandboxUrl: string, method: 'GET' | 'POST' | 'DELETE', path: string, body?: Json) {
  return fetch(`${sandboxUrl}/sandbox${path}`, {
    method,
    ...(body && { body: JSON.stringify(body) }),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_WITHIN),
  }).catch((cause: unknown) => {
    throw new SandboxUnavailable('The sandbox does not answer', { cause });
  });
}

/** Calls a control route of the sandbox. @throws SandboxRefusal, SandboxUnavailable */
export async function askSandbox<T>(
  sandboxUrl: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: Json,
): Promise<T> {
  const answer = await ask(sandboxUrl, method, path, body);
  const value = (await answer.json().catch(() => null)) as (T & { error?: { message?: string } }) | null;
  if (!answer.ok)
    throw new SandboxRefusal(refusalWords(value?.error?.message ?? `The sandbox answered ${answer.status}.`));
  if (value === null) throw new SandboxUnavailable('The sandbox answered something else');
  return value;
}

/**
 * Downloads a file of a message.
 * @param isSeen whether the user may see the line with this phone number id
 * @returns null if the file does not exist, or belongs to another line
 */
export async function askFile(
  sandboxUrl: string,
  id: string,
  isSeen: (phoneNumberId: string) => boolean,
): Promise<{ type: string; content: Buffer } | null> {
  const answer = await ask(sandboxUrl, 'GET', `/media/${encodeURIComponent(id)}`);
  const { headers } = answer;
  const isRefused = !answer.ok || !isSeen(headers.get('x-sandbox-line') ?? '');
  if (isRefused || Number(headers.get('content-length')) > FILE_MOST) {
    await answer.body?.cancel();
    return null;
  }
  const content = Buffer.from(await answer.arrayBuffer());
  return { type: headers.get('content-type') ?? '', content };
}

/** A path such as `/contacts/12025550147/messages`. */
export const contactPath = (contact: string, more = ''): string =>
  `/contacts/${encodeURIComponent(contact)}${more}`;
