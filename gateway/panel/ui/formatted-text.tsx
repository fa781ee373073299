import { type ComponentChildren, type VNode } from 'preact';

/** WhatsApp's formatting characters, and the elements that they stand for. */
const SIGNS: Record<string, (children: ComponentChildren) => VNode> = {
  '*': (children) => <strong>{children}</strong>,
  _: (children) => <em>{children}</em>,
  '~': (children) => <s>{children}</s>,
};
const MONO = /```([\s\S]+?)```/;
const LINK = /https?:\/\/[^\s<>"'`]+/gi;
/** Punctuation at the end of a link is not part of the link. */
const AFTER_LINK = '.,;:!?)]}*_~';

/**
 * Renders text without formatting characters.
 * @param isCode whether the text is monospace, which has no links
 */
type Plain = (text: string, isCode?: boolean) => ComponentChildren[];

/** A message's text as the recipient sees it. Made of elements, never of raw HTML. */
export function PhoneText({ text }: { text: string }): VNode {
  return (
    <p class="chat-text" dir="auto">
      {formatted(text, linked)}
    </p>
  );
}

export function formatted(text: string, plain: Plain): ComponentChildren[] {
  // `split` puts the captured parts at odd positions.
  return text.split(MONO).flatMap((part, index) => {
    if (index % 2 === 1) return [<code class="chat-mono">{plain(part, true)}</code>];
    return part
      .split('\n')
      .flatMap((line, number) => [...(number ? ['\n'] : []), ...marked(line, '*_~', plain)]);
  });
}

/**
 * Formats one line.
 * @param signs remaining formatting characters; a character doesn't nest in itself, so that the depth is
 * bounded
 */
function marked(line: string, signs: string, plain: Plain): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let from = 0;
  let begun = 0;
  const dead = new Set<string>();
  while (from < line.length) {
    const sign = line.charAt(from);
    if (sign === 'h') {
      // Formatting characters in a link are part of the link.
      from += Math.max(addressAt(line, from).length, 1);
      continue;
    }
    if (!signs.includes(sign) || dead.has(sign) || !opens(line, from)) {
      from += 1;
      continue;
    }
    const end = closing(line, sign, from);
    if (end < 0) {
      // The rest has no closing character either, so don't search it again.
      dead.add(sign);
      from += 1;
      continue;
    }
    parts.push(
      ...plain(line.slice(begun, from)),
      SIGNS[sign]?.(marked(line.slice(from + 1, end), signs.replace(sign, ''), plain)),
    );
    from = begun = end + 1;
  }
  parts.push(...plain(line.slice(begun)));
  return parts;
}

function withoutEnd(address: string): string {
  let end = address.length;
  while (AFTER_LINK.includes(address.charAt(end - 1)) && end > 0) end -= 1;
  return address.slice(0, end);
}

function addressAt(line: string, at: number): string {
  const sticky = new RegExp(LINK.source, 'iy');
  sticky.lastIndex = at;
  return withoutEnd(sticky.exec(line)?.[0] ?? '');
}

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character);
const isSpace = (character: string | undefined): boolean => character === undefined || /\s/.test(character);

const opens = (line: string, at: number): boolean => !isWord(line[at - 1]) && !isSpace(line[at + 1]);

function closing(line: string, sign: string, from: number): number {
  for (let end = line.indexOf(sign, from + 2); end > 0; end = line.indexOf(sign, end + 1))
    if (!isSpace(line[end - 1]) && !isWord(line[end + 1])) return end;
  return -1;
}

function linked(text: string, isCode = false): ComponentChildren[] {
  if (isCode) return [text];
  const parts: ComponentChildren[] = [];
  let begun = 0;
  for (const { 0: match, index } of text.matchAll(LINK)) {
    const address = withoutEnd(match);
    if (!isWebAddress(address)) continue;
    parts.push(text.slice(begun, index), <WebLink href={address}>{address}</WebLink>);
    begun = index + address.length;
  }
  return [...parts, text.slice(begun)];
}

export const isWebAddress = (address: string): boolean =>
  ['http:', 'https:'].includes(URL.parse(address)?.protocol ?? '');

/** A link in a message. It opens outside the panel and sends no referrer. Other addresses stay text. */
export function WebLink({ href, children }: { href: string; children: ComponentChildren }): VNode {
  if (!isWebAddress(href)) return <span class="long">{children}</span>;
  return (
    <a class="long" href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** The host of the first link in a text; null without a link. */
export function firstHost(text: string): string | null {
  const address = withoutEnd(text.match(LINK)?.[0] ?? '');
  return isWebAddress(address) ? (URL.parse(address)?.host ?? null) : null;
}
