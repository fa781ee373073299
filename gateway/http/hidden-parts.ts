/** Shorter parts of a URL or a header are words such as "v1", which reveal nothing. */
const SHORTEST = 4;
const COMMON =
  /^(api|basic|bearer|callbacks?|events?|hooks?|messages?|token|v\d+\.\d+|webhooks?|webhook-test|whatsapp)$/i;

/** The secret parts of a URL: path, query, and their parts. A path or a query is often a password. */
export function hiddenInUrl(text: string): string[] {
  const url = URL.parse(text);
  if (!url) return [];
  const path = `${url.pathname}${url.search}`;
  return [
    path,
    url.pathname,
    ...[path, url.pathname].flatMap(tailsOf),
    ...path.split(SEPARATORS),
    url.password,
  ];
}

const SEPARATORS = /[/?&=]/g;

/** All tails of a long path would add up to a megabyte. Further parts are hidden one by one. */
const MOST_TAILS = 8;

/** Some servers, such as n8n, repeat the path of a webhook without its first part. */
const tailsOf = (path: string): string[] =>
  Array.from(path.matchAll(SEPARATORS), ({ index }) => index)
    .slice(0, MOST_TAILS)
    .map((index) => path.slice(index + 1));

/** The secret parts of a header: its value, the value's parts, and the user and password of `Basic`. */
export function hiddenInHeader(value: string): string[] {
  const [, basic] = /^basic +(\S+)$/i.exec(value) ?? [];
  const logIn = basic === undefined ? '' : Buffer.from(basic, 'base64').toString('utf8');
  return [value, ...value.split(/\s+/), ...value.split(/[\s,;=]+/), logIn, ...logIn.split(':')];
}

/**
 * Removes parts from a text that may repeat them, in any encoding of their characters.
 * @param hidden parts that readers must not see
 */
export function hiding(hidden: readonly string[]): (text: string) => string {
  const parts = new Set(hidden.map((part) => readable(part).text.toLowerCase()).filter(isTelling));
  if (!parts.size) return (text) => text;
  const longestFirst = [...parts].toSorted((one, other) => other.length - one.length);
  const pattern = new RegExp(longestFirst.map(escaped).join('|'), 'gi');
  return (text) => {
    if (text === '') return text;
    const { text: read, startOf } = readable(text);
    let shown = '';
    let from = 0;
    for (const { 0: part, index } of read.matchAll(pattern)) {
      shown += `${text.slice(from, startOf(index))}…`;
      from = startOf(index + part.length);
    }
    return shown + text.slice(from);
  };
}

const isTelling = (part: string): boolean => part.length >= SHORTEST && !COMMON.test(part);

/** A character as encoded by a URL, a form, JSON or HTML. */
const WRITTEN =
  /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}|\\u[\da-f]{4}|\\["'\\/]|&(?:#\d{1,6}|#x[\da-f]{1,5}|amp|lt|gt|quot|apos);|\+/gi;

/** Levels of nesting, such as JSON within JSON, or an encoded URL within another. */
const MOST_ENCODINGS = 5;

interface Readable {
  text: string;
  /** Where the character at an index begins in the original text. */
  startOf(index: number): number;
}

/** Decodes a text, however often it was encoded. */
function readable(text: string): Readable {
  let read: Readable = { text, startOf: (index) => index };
  for (let round = 0; round < MOST_ENCODINGS && read.text.search(WRITTEN) >= 0; round++) {
    const next = decodedOnce(read);
    if (next.text === read.text) break;
    read = next;
  }
  return read;
}

function decodedOnce({ text, startOf }: Readable): Readable {
  let read = '';
  const starts: number[] = [];
  let from = 0;
  const copy = (to: number) => {
    for (let index = from; index < to; index++) starts.push(startOf(index));
    read += text.slice(from, to);
  };
  for (const { 0: written, index } of text.matchAll(WRITTEN)) {
    copy(index);
    from = index + written.length;
    const character = characterOf(written);
    read += character;
    starts.push(startOf(index), ...Array<number>(character.length - 1).fill(startOf(from)));
  }
  copy(text.length);
  starts.push(startOf(text.length));
  return { text: read, startOf: (index) => starts[index] ?? 0 };
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function characterOf(written: string): string {
  if (written === '+') return ' ';
  if (written.startsWith('%')) return decodedOf(written);
  if (/^\\u/i.test(written)) return String.fromCharCode(parseInt(written.slice(2), 16));
  if (written.startsWith('\\')) return written.slice(1);
  const entity = written.slice(1, -1).toLowerCase();
  if (!entity.startsWith('#')) return ENTITIES[entity] ?? written;
  const code = entity.startsWith('#x') ? parseInt(entity.slice(2), 16) : Number(entity.slice(1));
  return String.fromCodePoint(code);
}

/** Some byte sequences are not valid characters. */
function decodedOf(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
