/** Types shared by all kinds of contact messages. */
import { type SandboxLine } from '../platform/account';
import { type MediaFiles } from '../platform/media-files';
import { type Conversations } from './conversations';
import { type JsonObject } from '../platform/json';

/** A contact's phone in a conversation with a line. */
export interface Phone {
  line: SandboxLine;
  /** The key of the contact in the store. */
  contact: string;
  name: string;
  conversations: Conversations;
  media: MediaFiles;
}

/** A kind's part of the platform's message object, and the ID of the message that it quotes. */
export interface Written {
  type: string;
  content?: JsonObject | unknown[];
  repliesTo?: string;
  /** Fields next to the content. */
  beside?: JsonObject;
  /**
   * Whether the platform sends it instead of the contact. Such a message opens no window and has no
   * `contacts` entry.
   */
  isOfSystem?: boolean;
}

/** @param message the ID given as "message"; its meaning depends on the kind */
export type MessageReader = (
  phone: Phone,
  value: unknown,
  message: string | undefined,
) => Written | Promise<Written>;
