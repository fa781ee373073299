import { type JsonObject } from '../platform/json';
import { type TemplateButton, type TemplateCategory } from '../templates/starter-templates';

/** An element under a message that the contact can tap, with the data that the platform then reports. */
export type Tap =
  | { kind: 'button'; id: string; title: string }
  | { kind: 'row'; id: string; title: string; description?: string }
  | { kind: 'template_button'; payload: string; text: string };

/** The content of a message in either direction. */
export interface MessageContent {
  type: string;
  /** The part named by `type`: an object, or a list for contacts; undefined for an unknown kind. */
  content?: JsonObject | unknown[];
  /** The text of a template with its variables filled in. */
  shown?: string;
  /** The parts of a template with their variables filled in. */
  card?: TemplateCard;
  taps: Tap[];
  repliesTo?: string;
}

/** A valid send. `category` decides the price and whether the message needs an open window. */
export interface AcceptedMessage extends MessageContent {
  /**
   * `input` is the destination as given, `address` the same in digits. For user IDs and group IDs, both are
   * equal.
   */
  input: string;
  address: string;
  isGroup: boolean;
  category: 'service' | TemplateCategory;
  callbackData?: string;
}

/**
 * A template as the contact sees it, with its values and all buttons, including buttons that send no answer.
 */
export interface TemplateCard {
  /** The text of the header, or a placeholder for its file. */
  header?: string;
  body: string;
  footer?: string;
  buttons: TemplateButton[];
}
