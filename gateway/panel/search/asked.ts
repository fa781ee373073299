import { type ComponentChildren } from 'preact';
import { contactsOf, typedNumber } from '../../cloud-api/phone-spellings';
import { type Shown } from '../../messages/looks';
import { wordsOf } from '../../primitives/words';
import { t } from '../languages/t';
import { type PanelDeps } from '../dependencies';
import { type UserContext } from '../request-context';

/** Most results per kind. */
export const MOST_SHOWN = 8;

export interface Hit {
  key: string;
  href: string;
  /** The name of the result. */
  label: ComponentChildren;
  /** Details that tell results apart. */
  about?: ComponentChildren;
  at?: string | null;
}

export interface Group {
  title: string;
  /** The label of the result in a mixed list. */
  kind: string;
  hits: Hit[];
  /** A link to all results of this kind. */
  more?: { href: string; label: string };
}

/** A search, with the ways to interpret its text. */
export interface Asked {
  context: UserContext;
  /** What the user may see with the permission to read messages. */
  reading: PanelDeps;
  q: string;
  /** Whether the text may be part of a phone number. */
  isNumber: boolean;
  /** Whether to search texts for its words. */
  hasWords: boolean;
  lineName(id: number | null): string | undefined;
  /** The messages and contacts found, for the audit. */
  shown: Shown[];
}

/** @param shortest fewest characters for a search in texts */
export function askedOf(context: UserContext, shortest: number): Asked {
  const q = (context.query.get('q') ?? '').trim().slice(0, 500);
  const [digits = ''] = contactsOf(q);
  const nameOf = new Map(context.deps.lines.all().map(({ id, name }) => [id, name]));
  return {
    context,
    reading: context.within('messages.read'),
    q,
    isNumber: /^\d{3,20}$/.test(digits),
    shown: [],
    hasWords: q.length >= shortest && !typedNumber(q).startsWith('+') && wordsOf(q).length > 0,
    lineName: (id) => (id === null ? undefined : (nameOf.get(id) ?? t('Line {id}', { id }))),
  };
}
