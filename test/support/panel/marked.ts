import { pt } from '../../../gateway/wording/pt';

/** Delimiters of marked texts, which occur nowhere else on a page. */
const [OPEN, CLOSE] = ['\u27e6', '\u27e7'];

/** A language whose texts are the English ones, marked. */
export const MARKED = {
  get: (key: string) => OPEN + key.replace(/ \[[^\]]*\]$/, '') + CLOSE,
  entries: () => new Map<string, string>().entries(),
};

const marked = (text: string): string => (text ? OPEN + text + CLOSE : '');

type Say = (...given: unknown[]) => unknown;

/**
 * Marks every text of a catalogue.
 * @returns a function that removes the marks
 */
function markAll(catalogue: object): () => void {
  const before = { ...catalogue };
  const within: (() => void)[] = [];
  for (const [name, own] of Object.entries(catalogue) as [string, unknown][]) {
    const change = (value: unknown) => Object.assign(catalogue, { [name]: value });
    if (typeof own === 'string') change(marked(own));
    else if (typeof own === 'object' && own !== null) within.push(markAll(own));
    else if (typeof own === 'function')
      change((...given: unknown[]) => {
        const said = (own as Say)(...given);
        if (typeof said === 'string') return marked(said);
        return Object.fromEntries(Object.entries(said as object).map(([part, text]) => [part, marked(text)]));
      });
  }
  return () => {
    Object.assign(catalogue, before);
    within.forEach((undo) => undo());
  };
}

/**
 * Marks the Portuguese texts of catalogues.
 * @returns a function that removes the marks, because other test files share the catalogues
 */
export function markFacts(): () => void {
  const undo = [pt.alerts, pt.facts, pt.notice, pt.sentences].map(markAll);
  return () => undo.forEach((one) => one());
}

/** Elements without texts of the panel: code, times, user input, names of languages, and intentional English. */
const SKIPPED =
  /^<(code|pre|time|textarea|script|style|kbd|datalist)\b|\slang="en"|\sclass="template-chat"|\sdata-zone=|\sname="[\w-]*language"|\sclass="language-name"/;
const EMPTY = /^<(!doctype|area|br|col|hr|img|input|link|meta|path|rect|line|circle)\b|\/>$/i;
const SIGNS: Record<string, string> = { lt: '<', quot: '"', amp: '&' };
const READ_OUT = /\s(?:title|aria-label|placeholder|alt)="([^"]*)"/g;

/**
 * Returns texts of a page, visible or for screen readers, that are not marked.
 * @param html from `preact-render-to-string`
 */
export function unmarked(html: string): string[] {
  const found: string[] = [];
  const open: { name: string; isSkipped: boolean }[] = [];
  let depth = 0;
  const read = (text: string, isAttribute = false) => {
    let own = '';
    if (isAttribute) depth = 0;
    for (const letter of text) {
      if (letter === OPEN) depth++;
      else if (letter === CLOSE) depth--;
      else if (!depth) own += letter;
    }
    if (/\p{L}{2}/u.test(own)) found.push(own.trim().replace(/&(lt|quot|amp);/g, (_, name) => SIGNS[name]));
  };
  for (const [part] of html.matchAll(/<(?:[^>"]|"[^"]*")*>|[^<]+/g)) {
    const isSkipped = open.at(-1)?.isSkipped ?? false;
    if (!part.startsWith('<')) {
      if (!isSkipped) read(part);
      continue;
    }
    const name = /^<\/?([\w-]+)/.exec(part)?.[1] ?? '';
    if (part.startsWith('</')) {
      open.splice(open.findLastIndex((one) => one.name === name));
      continue;
    }
    const skips = isSkipped || SKIPPED.test(part);
    const within = depth;
    if (!isSkipped) for (const [, text = ''] of part.matchAll(READ_OUT)) read(text, true);
    depth = within;
    if (!EMPTY.test(part)) open.push({ name, isSkipped: skips });
  }
  return found;
}
