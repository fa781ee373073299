import { type ComponentChildren } from 'preact';
import { contactsOf, typedNumber } from '../../cloud-api/phone-spellings';
import { wordsOf } from '../../primitives/words';
import { t } from '../languages/t';
import { type UserContext } from '../request-context';

/** Results per kind. */
export const MOST_SHOWN = 8;

export interface Hit {
  key: string;
  href: string;
  /** The found thing. */
  label: ComponentChildren;
  /** The digits that distinguish it. */
  about?: ComponentChildren;
  at?: string | null;
}

export interface Group {
  title: string;
  /** The label of each kind in a mixed list. */
  kind: string;
  hits: Hit[];
  /** Where all of them are. */
  more?: { href: string; label: string };
}

/** A search. */
export interface Asked {
  context: UserContext;
  q: string;
  /** It may be a part of a number. */
  isNumber: boolean;
  /** It may be a part of a text. */
  hasWords: boolean;
  lineName(id: number | null): string | undefined;
}

/** @param shortest the shortest text for which texts are searched */
export function askedOf(context: UserContext, shortest: number): Asked {
  const q = (context.query.get('q') ?? '').trim().slice(0, 500);
  const [digits = ''] = contactsOf(q);
  const nameOf = new Map(context.deps.lines.all().map(({ id, name }) => [id, name]));
  return {
    context,
    q,
    isNumber: /^\d{3,20}$/.test(digits),
    hasWords: q.length >= shortest && !typedNumber(q).startsWith('+') && wordsOf(q).length > 0,
    lineName: (id) => (id === null ? undefined : (nameOf.get(id) ?? t('Line {id}', { id }))),
  };
}
