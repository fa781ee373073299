import { type VNode } from 'preact';
import { t } from '../languages/t';
import { page, type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { askedOf, type Asked, type Group, type Hit } from './asked';
import { contactsFound, contactsLike } from './contacts';
import { idsFound } from './messages';
import { linesFound, pagesFound, placesFound } from './places';

/** Most results that are useful while typing. */
const MOST = 8;
/** Latest events that each keystroke searches for names. */
const EVENTS = 500;

/** Results while the user types. The script inserts the list below the field. */
export async function showQuickly(context: UserContext): Promise<PanelResponse> {
  const asked = askedOf(context, 2);
  const { q } = asked;
  const contacts = () => contactsLike(asked, { numbers: MOST, events: EVENTS });
  const hits = bestOf(q.length < 2 ? [] : await thingsFound(asked, contacts()));
  await context.looked('search', asked.shown);
  return page(
    null,
    <div class="found" id="found" role="listbox" aria-label={t('Search')}>
      {hits.map(({ kind, href, label, about }, index) => (
        <Option key={index} id={`found-${index}`} href={href}>
          <span>{label}</span>
          <span class="quiet small">
            {kind}
            {about && <> · {about}</>}
          </span>
        </Option>
      ))}
      <Option id="found-all" href={`/panel/search?${new URLSearchParams({ q })}`}>
        <span>{t('Search everywhere for “{q}”', { q })}</span>
      </Option>
    </div>,
  );
}

/** A result, selected with the arrow keys and skipped by Tab. */
const Option = ({ id, href, children }: { id: string; href: string; children: VNode | VNode[] }): VNode => (
  <a role="option" id={id} href={href} tabIndex={-1}>
    {children}
  </a>
);

/** Picks the first results of every kind, in turn, up to `MOST`. */
function bestOf(groups: Group[]): (Hit & { kind: string })[] {
  const all = groups.flatMap(({ kind, hits }) => hits.map((hit, rank) => ({ ...hit, kind, rank })));
  const best = new Set(all.toSorted((one, other) => one.rank - other.rank).slice(0, MOST));
  return all.filter((one) => best.has(one));
}

/**
 * All results except words in messages.
 * @param contacts all names of the matching contacts
 */
export async function thingsFound(asked: Asked, contacts: Promise<string[]>): Promise<Group[]> {
  const [ofContacts, ids, named] = await Promise.all([
    contacts.then((names) => contactsFound(asked, names)),
    idsFound(asked),
    placesFound(asked),
  ]);
  return [linesFound(asked), ofContacts, ...ids, ...named, pagesFound(asked)];
}
