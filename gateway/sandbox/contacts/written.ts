/** What every kind of contact's message has in common. */
import { type SandboxLine } from '../platform/account';
import { type MediaFiles } from '../platform/media-files';
import { type Conversations } from './conversations';
import { type JsonObject } from '../platform/json';

/** The phone of a contact, in a conversation with a line. */
export interface Phone {
  line: SandboxLine;
  /** What the contact is remembered by, and its name. */
  contact: string;
  name: string;
  conversations: Conversations;
  media: MediaFiles;
}

/** The message's own part of the platform's object, and the message of the line that it answers, if any. */
export interface Written {
  type: string;
  content?: JsonObject | unknown[];
  repliesTo?: string;
  /** Fields beside the content. */
  beside?: JsonObject;
  /** From the platform, not from the contact: it opens no window, and does not say who the contact is. */
  isOfSystem?: boolean;
}

/** @param message the id that was given as "message": its meaning depends on the kind */
export type MessageReader = (
  phone: Phone,
  value: unknown,
  message: string | undefined,
) => Written | Promise<Written>;
