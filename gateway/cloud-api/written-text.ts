/**
 * What a contact wrote, of the event that holds it: the text, the caption of a picture, the title of what was tapped.
 * Nothing in it is taken for granted.
 * @returns null where it holds nothing that can be read
 */
export function writtenText(body: string): string | null {
  let found: unknown;
  try {
    found = JSON.parse(body);
  } catch {
    return null;
  }
  for (const key of ['entry', 0, 'changes', 0, 'value', 'messages', 0]) found = inside(found, key);
  const texts = TEXTS.map((path) => path.reduce<unknown>(inside, found));
  const text = texts.find((one): one is string => typeof one === 'string' && one.trim() !== '');
  return text === undefined ? null : text.slice(0, LONGEST);
}

const LONGEST = 4_096;

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

const inside = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;
