import { wordSearch } from '../../messages/text-search';
import { t } from '../languages/t';
import { shownAddress } from '../ui/shown-address';
import { contactText } from '../ui/contact';
import { isOffered, menu } from '../ui/frame/layout';
import { hasCustomers } from '../ui/customer-field';
import { linesLike } from '../ui/line-field';
import { joined } from '../ui/parts';
import { MOST_SHOWN, type Asked, type Group, type Hit } from './asked';

/** Most templates on the page with all template results. */
const MOST_TEMPLATES = 500;

/** Finds templates, destinations and tokens by name. */
export const placesFound = (asked: Asked): Promise<Group[]> =>
  Promise.all([templatesFound(asked), destinationsFound(asked), tokensFound(asked)]);

/** Common filters of messages and events, by their labels. */
const filtersFound = ({ context, q }: Asked): Hit[] =>
  [
    ...(context.may('messages.read')
      ? [{ href: '/panel/messages?state=failed', label: t('Failed messages'), about: t('Messages') }]
      : []),
    { href: '/panel/events?state=dead', label: t.of('events', 'Given up'), about: t('Events') },
    { href: '/panel/events?state=waiting', label: t.of('events', 'Waiting'), about: t('Events') },
  ]
    .filter(({ label }) => wordSearch(q).isIn(label))
    .map((one) => ({ key: one.href, ...one }));

/** Finds pages of the panel by their label. */
export function pagesFound(asked: Asked): Group {
  const { context, q } = asked;
  const search = wordSearch(q);
  return {
    title: t('Pages'),
    kind: t('Page'),
    hits: [
      ...menu()
        .flatMap(({ entries }) => entries)
        .filter((entry) => search.isIn(entry.label) && isOffered(context, entry))
        .map(({ href, label }) => ({ key: href, href, label })),
      ...filtersFound(asked),
    ],
  };
}

export function linesFound({ context, q }: Asked): Group {
  const lines = context.deps.lines.all();
  const found = new Set([
    ...linesLike(lines, q),
    ...lines.filter(({ phoneNumberId, wabaId }) => [phoneNumberId, wabaId].includes(q)),
  ]);
  return {
    title: t('Lines'),
    kind: t('Line'),
    hits: [...found].slice(0, MOST_SHOWN).map(({ id, name, phoneNumber, customerName }) => ({
      key: String(id),
      href: `/panel/lines/${id}`,
      label: name,
      about: joined(contactText(phoneNumber), hasCustomers(context) && customerName),
    })),
    more:
      found.size > MOST_SHOWN
        ? {
            href: `/panel/lines?${new URLSearchParams({ q })}`,
            label: t('All {count, number}', { count: found.size }),
          }
        : undefined,
  };
}

/** Finds templates by name. Each name appears once, even if several lines or languages have it. */
async function templatesFound({ context, q, hasWords, lineName }: Asked): Promise<Group> {
  const search = wordSearch(q);
  const rows = hasWords ? await context.deps.store.search.templates(search) : [];
  const named = Map.groupBy(
    rows.filter(({ name }) => search.isIn(name)),
    ({ name }) => name,
  );
  const isAll = context.query.get('all') === 'templates';
  return {
    title: t('Templates'),
    kind: t('Template'),
    hits: [...named].slice(0, isAll ? MOST_TEMPLATES : MOST_SHOWN).map(([name, of]) => {
      const lines = [...new Set(of.map(({ line_id: line }) => line))];
      const [line = 0] = lines;
      return {
        key: name,
        href: `/panel/templates?${new URLSearchParams({ line: String(line), q: name })}`,
        label: name,
        about: joined(
          [...new Set(of.map(({ language }) => language))].toSorted().join(', '),
          lines.length === 1 ? lineName(line) : t('{count, number} lines', { count: lines.length }),
        ),
      };
    }),
    more:
      named.size > MOST_SHOWN && !isAll
        ? {
            href: `/panel/search?${new URLSearchParams({ q, all: 'templates' })}`,
            label: t('All templates found'),
          }
        : undefined,
  };
}

/** Finds destinations by URL, as far as this user may see the URL. */
async function destinationsFound({ context, q, hasWords, lineName }: Asked): Promise<Group> {
  const search = wordSearch(q);
  const rows = hasWords ? await context.deps.store.search.destinations(search) : [];
  return {
    title: t('Destinations'),
    kind: t('Destination'),
    hits: rows
      .map((row) => ({ ...row, address: shownAddress(context, row.line_id, row.url) }))
      .filter(({ address }) => search.isIn(address))
      .slice(0, MOST_SHOWN)
      .map(({ id, line_id: line, address }) => ({
        key: String(id),
        href: `/panel/lines/${line}/destinations/${id}`,
        label: address.replace(/^https?:\/\//, ''),
        about: lineName(line),
      })),
  };
}

/** Finds API tokens by name. */
async function tokensFound({ context, q, hasWords, lineName }: Asked): Promise<Group> {
  const search = wordSearch(q);
  const rows = hasWords ? await context.deps.store.search.tokens(search) : [];
  return {
    title: t('API tokens'),
    kind: t('Token'),
    hits: rows
      .filter(({ name }) => search.isIn(name ?? ''))
      .slice(0, MOST_SHOWN)
      .map(({ id, line_id: line, name, revoked_at: revokedAt }) => ({
        key: String(id),
        href: `/panel/tokens?line=${line}`,
        label: name,
        about: joined(lineName(line), revokedAt && t.of('token', 'Revoked')),
      })),
  };
}
