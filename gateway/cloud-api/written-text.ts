import { parsed } from './json/json-value';

/**
 * What a contact wrote, of the event that holds it: the text, the caption of a picture, the title of what was tapped.
 * Nothing in it is taken for granted.
 * @returns null where it holds nothing that can be read
 */
export function writtenText(body: string): string | null {
  const message = messageIn(body);
  const texts = TEXTS.map((path) => path.reduce<unknown>(inside, message));
  return texts.find(isText)?.slice(0, LONGEST) ?? null;
}

/** The name of who wrote it, as that person has given it; null where it holds none. */
export function writerName(body: string): string | null {
  const name = at(body, ['contacts', 0, 'profile', 'name']);
  return isText(name) ? name.slice(0, LONGEST_NAME) : null;
}

/** All that a person may remember of it: what was written, and the name of who wrote it. */
export const rememberedTexts = (body: string): string[] =>
  [writtenText(body), writerName(body)].filter(isText);

/** The id, the type and the name of the file of a message; null where it has none. */
export function fileOf(body: string): { id: string; kind: string; name: string | null } | null {
  const message = messageIn(body);
  for (const kind of FILES) {
    const [id, name] = ['id', 'filename'].map((key) => inside(inside(message, kind), key));
    if (isText(id)) return { id, kind, name: isText(name) ? name : null };
  }
  return null;
}

const LONGEST = 4_096;
const LONGEST_NAME = 200;

const TEXTS = [
  ['text', 'body'],
  ['button', 'text'],
  ['interactive', 'button_reply', 'title'],
  ['interactive', 'list_reply', 'title'],
  ['image', 'caption'],
  ['video', 'caption'],
  ['document', 'caption'],
  ['document', 'filename'],
  ['reaction', 'emoji'],
  ['location', 'name'],
];

const FILES = ['image', 'video', 'audio', 'document', 'sticker'] as const;

const messageIn = (body: string): unknown => at(body, ['messages', 0]);

/** Of the first change in the platform's envelope. */
const at = (body: string, path: (string | number)[]): unknown =>
  ['entry', 0, 'changes', 0, 'value', ...path].reduce(inside, parsed(body));

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

const inside = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;
