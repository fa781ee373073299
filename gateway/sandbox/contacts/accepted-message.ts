import { type JsonObject } from '../platform/json';
import { type TemplateButton, type TemplateCategory } from '../templates/starter-templates';

/** Something that the contact can tap under a message, and what the platform reports when it does. */
export type Tap =
  | { kind: 'button'; id: string; title: string }
  | { kind: 'row'; id: string; title: string; description?: string }
  | { kind: 'template_button'; payload: string; text: string };

/** The text of a message from anybody. */
export interface MessageContent {
  type: string;
  /** The part named by `type`: an object, for contacts a list; none for an unknown kind. */
  content?: JsonObject | unknown[];
  /** A template as the contact reads it, its variables filled. */
  shown?: string;
  /** The same in its parts. */
  card?: TemplateCard;
  taps: Tap[];
  repliesTo?: string;
}

/** A valid send. `category` decides what it costs and whether it needs an open window. */
export interface AcceptedMessage extends MessageContent {
  /** The destination as given, and as digits only; a user id or a group's id is both. */
  input: string;
  address: string;
  isGroup: boolean;
  category: 'service' | TemplateCategory;
  callbackData?: string;
}

/** A template as the contact sees it: with its values, and every button, also those that answer nothing. */
export interface TemplateCard {
  /** A text, or the place of a file. */
  header?: string;
  body: string;
  footer?: string;
  buttons: TemplateButton[];
}
