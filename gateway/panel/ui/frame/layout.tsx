import { type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { assets } from '../../assets';
import { upToMost } from '../../languages/numbers';
import { type Head } from '../../outcome';
import { type Permission } from '../../../rights/roles';
import { type RequestContext } from '../../request-context';
import { Form } from '../form';
import { Icon, isIcon } from './icon';
import { LookContext } from './look';
import { rolesWord } from './role';
import { Notice } from '../parts';
import { type Trouble } from './trouble';
import { languageNow, WRITTEN } from '../../../wording/language';
import { t } from '../../languages/t';
import { useRequest } from '../page-request';

interface MenuEntry {
  href: string;
  label: string;
  /** Shown only with a sandbox. */
  sandbox?: true;
  /** The permission to open the page. */
  needs?: Permission;
  /** Whether the page is about the whole gateway. */
  isGatewayWide?: true;
  /** Shown only if a line belongs to a customer. */
  isOfCustomers?: true;
}

/** The menu, in the order of the sidebar. */
export const menu = (): { title: string; entries: MenuEntry[] }[] => [
  {
    title: t('Messaging'),
    entries: [
      { href: '/panel/overview', label: t('Overview') },
      { href: '/panel/lines', label: t('Lines') },
      { href: '/panel/tokens', label: t('API tokens') },
      { href: '/panel/templates', label: t('Templates') },
      { href: '/panel/conversations', label: t('Conversations'), needs: 'messages.read' },
      { href: '/panel/messages', label: t('Messages'), needs: 'messages.read' },
      { href: '/panel/events', label: t('Events') },
      { href: '/panel/usage', label: t('Usage'), needs: 'usage.read' },
      { href: '/panel/phone', label: t('Sandbox phone'), sandbox: true, needs: 'messages.read' },
    ],
  },
  {
    title: t('Gateway'),
    entries: [
      { href: '/panel/start', label: t('First steps'), needs: 'events.read', isGatewayWide: true },
      { href: '/panel/alerts', label: t('Alerts') },
      { href: '/panel/customers', label: t('Customers'), needs: 'gateway', isOfCustomers: true },
      { href: '/panel/users', label: t('Users'), needs: 'people.manage' },
      { href: '/panel/admin-tokens', label: t('Admin tokens'), needs: 'tokens.manage' },
      { href: '/panel/audit', label: t('Audit log'), needs: 'audit.read' },
      { href: '/panel/backups', label: t('Backups'), needs: 'gateway' },
      { href: '/docs', label: t('API reference') },
    ],
  },
];

/** Whether this user and gateway have this menu entry. */
export const isOffered = (
  { deps, may }: Pick<RequestContext, 'deps' | 'may'>,
  { sandbox, needs, isGatewayWide, isOfCustomers }: MenuEntry,
): boolean =>
  (!sandbox || deps.sandboxUrl !== null) &&
  (!needs || may(needs, isGatewayWide ? null : undefined)) &&
  (!isOfCustomers || deps.lines.all().some(({ customerId }) => customerId !== null));

interface DocumentProps {
  title: string;
  /** Whether something fails, which the tab's icon shows. */
  isBad?: boolean;
  style?: Stylesheet;
  children: ComponentChildren;
}

function Document({ title, isBad, style = 'style', children }: DocumentProps): VNode {
  const look = useContext(LookContext);
  const { icon, iconBad, script, editorScript, ...others } = assets();
  return (
    <html lang={WRITTEN[languageNow()].tag} data-theme={look.theme} data-zone={look.zone}>
      <head>
        <meta charSet="utf-8" />
        <meta
          name="viewport"
          content="width=device-width, initial-scale=1, interactive-widget=resizes-content"
        />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · Messaging Gateway`}</title>
        <link rel="icon" type="image/svg+xml" href={(isBad ? iconBad : icon).href} />
        <link rel="stylesheet" href={others[style].href} />
        <script
          src={(style === 'editorStyle' ? editorScript : script).href}
          defer
          data-copied={t('Copied')}
          data-now={t('any moment now')}
          data-in={t('in {time}', { time: '…' })}
          data-ago={t('{time} ago', { time: '…' })}
        />
      </head>
      {children}
    </html>
  );
}

/** Stylesheets by kind of page, so that a page loads only the rules it needs. */
type Stylesheet = 'style' | 'lineStyle' | 'chatStyle' | 'templateStyle' | 'editorStyle' | 'phoneStyle';

function styleOf(path: string): Stylesheet {
  if (path.startsWith('/panel/phone')) return 'phoneStyle';
  if (/^\/panel\/templates\/drafts\/\d+$/.test(path)) return 'editorStyle';
  if (/^\/panel\/(templates|lines\/\d+\/send)/.test(path)) return 'templateStyle';
  if (/^\/panel\/(lines|usage|rate-cards)/.test(path)) return 'lineStyle';
  return /^\/panel\/(conversations|messages)/.test(path) ? 'chatStyle' : 'style';
}

/** A page with menu and search, for a logged-in user. */
export function Layout({
  context,
  head,
  body,
  trouble,
}: {
  context: RequestContext;
  head: Head;
  body: VNode;
  trouble: Trouble;
}): VNode {
  const { title, tab = title, line } = head.props;
  const isOfLine = Boolean(line);
  return (
    <Document title={tab} isBad={trouble.failing > 0} style={styleOf(context.path)}>
      <body>
        <a class="skip" href="#main">
          {t('Skip to the page')}
        </a>
        <div class="shell">
          <header class="side">
            <a class="brand" href="/panel">
              <Mark />
              <span>Messaging Gateway</span>
            </a>
            {!context.session?.needsApp && (
              <SearchField value={context.path === '/panel/search' ? context.query.get('q') : null} />
            )}
            <details class="menu">
              <summary>
                <span>{t('Menu')}</span>
                <span>{t('Close')}</span>
              </summary>
              <Menu trouble={trouble} isOfLine={isOfLine} />
            </details>
            <div class="side-places">
              <Menu trouble={trouble} isOfLine={isOfLine} />
            </div>
          </header>
          <main id="main" class="page" tabIndex={-1}>
            {context.notice && <Notice tone={context.notice.tone}>{context.notice.sentence}</Notice>}
            {head}
            {body}
          </main>
        </div>
      </body>
    </Document>
  );
}

/** The number of problems beside a menu entry. */
const COUNTS: Record<string, (trouble: Trouble) => [number, string]> = {
  '/panel/alerts': ({ incidents }) => [
    incidents,
    t('{incidents, plural, one {open incident} other {open incidents}}', { incidents }),
  ],
  '/panel/events': ({ dead }) => [dead, t('{dead, plural, one {given up} other {given up}}', { dead })],
};

function Count({ href, trouble }: { href: string; trouble: Trouble }): VNode | null {
  const [count, words] = COUNTS[href]?.(trouble) ?? [0, ''];
  if (!count) return null;
  return (
    <span class="count">
      {upToMost(count)}
      <span class="sr-only"> {words}</span>
    </span>
  );
}

function Menu({ trouble, isOfLine }: { trouble: Trouble; isOfLine: boolean }): VNode {
  const context = useRequest();
  // A list of one line belongs to the line's pages.
  const path = isOfLine ? '/panel/lines' : context.path;
  const isHere = (href: string) => path === href || path.startsWith(`${href}/`);
  return (
    <div class="places">
      {!context.session?.needsApp && (
        <nav aria-label={t('Panel')}>
          {menu().map(({ title, entries }) => (
            <div class="place-group" key={title}>
              <p class="place-title">{title}</p>
              <ul>
                {entries
                  .filter((entry) => isOffered(context, entry))
                  .map(({ href, label }) => (
                    <li key={href}>
                      <a href={href} aria-current={isHere(href) ? 'page' : undefined}>
                        <MenuIcon href={href} />
                        {label}
                        <Count href={href} trouble={trouble} />
                      </a>
                    </li>
                  ))}
              </ul>
            </div>
          ))}
        </nav>
      )}
      {context.user && (
        <div class="whoami">
          <a href="/panel/profile" aria-current={isHere('/panel/profile') ? 'page' : undefined}>
            <span class="whoami-name">{context.user.name}</span>
            <span class="whoami-role quiet small">{rolesWord(context.user)}</span>
          </a>
          <Form action="/panel/log-out" class="inline">
            <button class="button quiet small">{t('Log out')}</button>
          </Form>
        </div>
      )}
    </div>
  );
}

function MenuIcon({ href }: { href: string }): VNode | null {
  const name = href.slice(href.lastIndexOf('/') + 1);
  return isIcon(name) ? <Icon of={name} /> : null;
}

/** A page before the log-in, or for a single task. */
export function Narrow({ title, tab = title, children }: NarrowProps): VNode {
  return (
    <Document title={tab}>
      <body class="narrow">
        <main id="main">
          <p class="brand">
            <Mark />
            <span>Messaging Gateway</span>
          </p>
          <div class="card">
            <div class="stack">
              <h1>{title}</h1>
              {children}
            </div>
          </div>
        </main>
      </body>
    </Document>
  );
}

type NarrowProps = Head['props'] & { children: ComponentChildren };

/** The logo. */
function Mark(): VNode {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect class="mark-ground" width="32" height="32" rx="9" />
      <path class="mark-sign" d="M9 10.5h14M9 16h8.5M9 21.5h5M19 18.5l4 3-4 3" />
    </svg>
  );
}

/** The search field of every page. With script, `/` focuses it. */
const SearchField = ({ value }: { value: string | null }): VNode => (
  <form class="find" method="get" action="/panel/search" role="search" aria-label={t('Everywhere')}>
    <input
      id="find"
      name="q"
      type="search"
      value={value ?? undefined}
      maxLength={500}
      placeholder={t('Search')}
      aria-label={t('Find anything')}
      aria-keyshortcuts="/"
      autocomplete="off"
      spellcheck={false}
      autocapitalize="none"
    />
    <kbd aria-hidden="true">/</kbd>
  </form>
);
