import { type VNode } from 'preact';
import { connectionStateOf, readPhoneNumber, type PhoneNumberNode } from '../../cloud-api/phone-number';
import { Refusal } from '../../errors';
import { type EventKind } from '../../forwarding/destination';
import { type LineRow } from '../../store/tables/lines';
import { type DestinationMode, type QualityMode, type WindowMode } from '../../store/schema';
import { Badge } from '../ui/parts';
import { pageNotFound, sentenceOfRefusal } from '../ui/error-page';
import { type UserContext } from '../request-context';

/** Lines and their destinations, in words. */

/** The line that the address names. */
export async function lineOfRoute({ deps, params }: UserContext): Promise<LineRow> {
  const line = /^\d{1,9}$/.test(params.id ?? '') ? await deps.store.lines.find(Number(params.id)) : null;
  if (!line) throw pageNotFound();
  return line;
}

export const phoneNumberNodeOf = (line: LineRow): PhoneNumberNode | null =>
  line.upstream_node === null ? null : readPhoneNumber(JSON.parse(line.upstream_node));

export function StateBadge({ line }: { line: LineRow }): VNode {
  if (line.deactivated_at !== null) return <Badge tone="idle">Deactivated</Badge>;
  if (line.access_token_sealed === null) return <Badge tone="warn">No credentials</Badge>;
  switch (connectionStateOf(phoneNumberNodeOf(line)?.status ?? null)) {
    case 'connected':
      return <Badge tone="good">Connected</Badge>;
    case 'pending':
      return <Badge tone="warn">Pending</Badge>;
    case 'disconnected':
      return <Badge tone="bad">Disconnected</Badge>;
    default:
      return <Badge tone="idle">Not known yet</Badge>;
  }
}

export const WINDOW_WORDS: Record<WindowMode, { label: string; hint: string }> = {
  text: {
    label: 'On free text only',
    hint: 'Free-form text needs a contact who wrote in the last 24 hours; templates, pictures and the rest go out at any time.',
  },
  all: {
    label: 'On everything but templates',
    hint: 'Whatever is no template needs a contact who wrote in the last 24 hours, as the platform has it.',
  },
  upstream: {
    label: 'Left to the platform',
    hint: 'The gateway does not judge; the platform may refuse after it has accepted the message.',
  },
};

export const QUALITY_WORDS: Record<QualityMode, { label: string; hint: string }> = {
  normal: { label: 'Normal', hint: 'Sends unless the platform rates the line low.' },
  strict: { label: 'Strict', hint: 'Sends only once the platform has rated the line high or medium.' },
};

export const KIND_WORDS: Record<EventKind, { label: string; hint: string }> = {
  messages: { label: 'Messages', hint: 'What contacts write.' },
  sent: { label: 'Sent', hint: 'The platform has sent a message of yours.' },
  delivered: { label: 'Delivered', hint: 'It has reached the phone.' },
  read: { label: 'Read', hint: 'It was read or played.' },
  failed: { label: 'Failed', hint: 'It could not be delivered, and why.' },
  account: { label: 'Account', hint: 'Whatever concerns no single message: templates, quality, limits.' },
};

export const MODE_WORDS: Record<DestinationMode, { label: string; hint: string }> = {
  split: {
    label: 'One event in each request',
    hint: 'Each in the platform’s own format. Right for n8n and for most receivers.',
  },
  raw: {
    label: 'As it came, several at once',
    hint: 'One request for all that the platform told at once of this line.',
  },
};

/** How a destination waits until a contact pauses. */
export const pauseText = (seconds: number): string =>
  `${seconds} s without a word, then all that the contact wrote as one event`;

/** What a refusal says to do, for a place beside a field. @throws what is none */
export function refusalSentence(error: unknown): string {
  if (!(error instanceof Refusal)) throw error;
  return sentenceOfRefusal(error);
}
