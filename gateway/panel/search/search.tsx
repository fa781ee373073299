import { type VNode } from 'preact';
import { Card, Empty, PageHead, Time } from '../ui/parts';
import { page, type PanelResponse } from '../outcome';
import { pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { t } from '../languages/t';
import { CustomerFilter, ofCustomer } from '../ui/customer-field';
import { useRequest } from '../ui/page-request';
import { askedOf, type Asked, type Group } from './asked';
import { contactsLike } from './contacts';
import { saidFound, wordsFound } from './messages';
import { showQuickly, thingsFound } from './quick';

/** The search page: lines, contacts, messages, events and more. */
export const searchPages: PanelRoute[] = [
  pageRoute('events.read', '/search', showFound),
  pageRoute('events.read', '/search/quick', showQuickly),
];

async function showFound(context: UserContext): Promise<PanelResponse> {
  const asked = askedOf(context, 3);
  const { q } = asked;
  const groups = q ? (await foundBy(asked)).filter(({ hits }) => hits.length) : [];
  await context.looked('search', asked.shown);
  return page(
    <PageHead tab={t('Search')} title={q ? t('Search: {q}', { q }) : t('Search')}>
      {t(
        'Contacts, numbers in any spelling, words of messages, IDs of messages and events, templates, lines, destinations, tokens.',
      )}
    </PageHead>,
    <>
      {q && <CustomerFilter action="/panel/search" fields={{ q }} />}
      {groups.map((group) => (
        <Found key={group.title} group={group} />
      ))}
      {!groups.length && (
        <Card>
          <Empty title={q ? t('Nothing found') : t('Search everything')}>
            <p>
              {t(
                'Search by at least four digits of a number, by a full ID, or by words of the latest messages, in any order. Sent messages are searched if their line stores them. Put words in quotation marks to find an exact phrase.',
              )}
            </p>
          </Empty>
        </Card>
      )}
    </>,
  );
}

const Found = ({ group: { title, hits, more } }: { group: Group }): VNode => (
  <Card
    title={title}
    flush
    actions={
      more && (
        <a class="button plain small" href={ofCustomer(useRequest(), more.href)}>
          {more.label}
        </a>
      )
    }
  >
    <ul class="hits">
      {hits.map(({ key, href, label, about, at }) => (
        <li key={key}>
          <a class="row-link long" href={href}>
            {label}
          </a>
          <span class="quiet small">{about}</span>
          {at && (
            <span class="quiet small">
              <Time at={at} to="minute" />
            </span>
          )}
        </li>
      ))}
    </ul>
  </Card>
);

async function foundBy(asked: Asked): Promise<Group[]> {
  const contacts = contactsLike(asked);
  const [things, said, words] = await Promise.all([
    thingsFound(asked, contacts),
    contacts.then((names) => saidFound(asked, names)),
    wordsFound(asked),
  ]);
  return eachOnce([...things, ...said, ...words]);
}

/** Removes results that an earlier group shows, because a number can also be a word. */
function eachOnce(groups: Group[]): Group[] {
  const told = new Set<string>();
  return groups.map(({ hits, ...group }) => ({
    ...group,
    hits: hits.filter(({ href }) => !told.has(href) && told.add(href)),
  }));
}
