/** Shorter parts of an address or a header are words such as "v1", which tell nobody anything. */
const SHORTEST = 4;
const COMMON =
  /^(api|basic|bearer|callbacks?|events?|hooks?|messages?|token|v\d+\.\d+|webhooks?|webhook-test|whatsapp)$/i;

/** What an address holds behind its host: path, query, and their parts. A path or a query is often a password. */
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

/** All tails of an address of many parts would be a megabyte. The parts of the others are hidden one by one. */
const MOST_TAILS = 8;

/** n8n, for one, repeats the path of a webhook without its first part. */
const tailsOf = (path: string): string[] =>
  Array.from(path.matchAll(SEPARATORS), ({ index }) => index)
    .slice(0, MOST_TAILS)
    .map((index) => path.slice(index + 1));

/** The value of a header, its parts, and the user and password of `Basic`. */
export function hiddenInHeader(value: string): string[] {
  const [, basic] = /^basic +(\S+)$/i.exec(value) ?? [];
  const logIn = basic === undefined ? '' : Buffer.from(basic, 'base64').toString('utf8');
  return [value, ...value.split(/[\s,;=]+/), logIn, ...logIn.split(':')];
}

/**
 * Removes parts from a text that may repeat them: as they are, percent-decoded or encoded, and as JSON or HTML.
 * @param hidden parts that whoever reads the text may not know
 */
export function hiding(hidden: readonly string[]): (text: string) => string {
  const writings = new Set(hidden.flatMap(writingsOf).filter(isTelling));
  if (!writings.size) return (text) => text;
  const longestFirst = [...writings].toSorted((one, other) => other.length - one.length);
  const pattern = new RegExp(longestFirst.map(escaped).join('|'), 'gi');
  return (text) => text.replace(pattern, '…');
}

const isTelling = (part: string): boolean => part.length >= SHORTEST && !COMMON.test(part);

const writingsOf = (part: string): string[] =>
  [part, decoded(part), decoded(part.replaceAll('+', ' ')), encodeURIComponent(part)].flatMap((one) => {
    const json = JSON.stringify(one).slice(1, -1);
    const html = one.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    return [
      ...[one, json, json.replaceAll('/', '\\/'), inAscii(json), inAscii(json).replaceAll('/', '\\/')],
      ...[html.replaceAll('"', '&quot;'), html.replaceAll('"', '&#34;')].flatMap((written) =>
        ["'", '&#39;', '&#x27;', '&#039;'].map((quote) => written.replaceAll("'", quote)),
      ),
    ];
  });

/** As many programs write JSON. */
const inAscii = (json: string): string =>
  json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
