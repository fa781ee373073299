import { type ComponentChildren, type VNode } from 'preact';
import { type LineRow } from '../../../store/tables/lines';
import { FormState } from '../../form-state';
import { type UserContext } from '../../request-context';
import { Submit } from '../form';
import { pageNotFound } from './error-page';
import { LineField, MOST_CHOICES } from '../line-field';
import { PageHead } from '../parts';
import { type Permission } from '../../../rights/roles';
import { t } from '../../languages/t';
import { useRequest } from '../page-request';

interface LineHeadProps {
  /** The title of the browser tab. The heading shows the line's name. */
  title: string;
  line: { id: number; name: string };
  /** The current tab. */
  here: Tab;
  actions?: ComponentChildren;
  /** Shown below the name. */
  children?: ComponentChildren;
}

const TABS = {
  overview: { label: () => t('Overview'), href: (id: number) => `/panel/lines/${id}` },
  tokens: { label: () => t('Tokens'), href: (id: number) => `/panel/tokens?line=${id}` },
  templates: { label: () => t('Templates'), href: (id: number) => `/panel/templates?line=${id}` },
  messages: {
    label: () => t('Messages'),
    href: (id: number) => `/panel/messages?line=${id}`,
    needs: 'messages.read',
  },
  events: { label: () => t('Events'), href: (id: number) => `/panel/events?line=${id}` },
  optOuts: {
    label: () => t('Opt-outs'),
    href: (id: number) => `/panel/lines/${id}/opt-outs`,
    needs: 'messages.read',
  },
  number: {
    label: () => t('Number'),
    href: (id: number) => `/panel/lines/${id}/number`,
    needs: 'lines.manage',
  },
  settings: {
    label: () => t('Settings'),
    href: (id: number) => `/panel/lines/${id}/edit`,
    needs: 'lines.manage',
  },
} satisfies Record<string, TabOf>;

interface TabOf {
  label: () => string;
  href: (id: number) => string;
  needs?: Permission;
}

type Tab = keyof typeof TABS;

/** The address of a line's page; the first page for an unknown tab. */
export const pageOfLine = (tab: string, id: number): string =>
  (tab in TABS ? TABS[tab as Tab] : TABS.overview).href(id);

/** The line in the address. */
export async function lineOfRoute({ deps, params }: UserContext): Promise<LineRow> {
  const line = /^\d{1,9}$/.test(params.id ?? '') ? await deps.store.lines.find(Number(params.id)) : null;
  if (!line) throw pageNotFound();
  return line;
}

/** The head of a line's pages: the way back, the line's name, and tabs. */
export function LineHead({ line, here, actions, children }: LineHeadProps): VNode {
  return (
    <>
      <PageHead title={line.name} back={{ href: '/panel/lines', label: t('Lines') }} actions={actions}>
        {children}
      </PageHead>
      <div class="line-places">
        <LineTabs line={line} here={here} />
        <OtherLine line={line} here={here} />
      </div>
    </>
  );
}

/** The head of a list. If a line is chosen, shows the tabs of the line. */
export const ListHead = ({ line, ...props }: ListHeadProps): VNode =>
  line ? <LineHead line={line} {...props} /> : <PageHead {...props} />;

interface ListHeadProps extends Omit<LineHeadProps, 'line'> {
  line: LineHeadProps['line'] | null;
  /** The title of the browser tab, if the heading differs. */
  tab?: string;
}

function LineTabs({ line, here }: Pick<LineHeadProps, 'line' | 'here'>): VNode {
  const { may } = useRequest();
  return (
    <nav class="tabs" aria-label={t('Pages of {name}', { name: line.name })}>
      {(Object.keys(TABS) as Tab[])
        .map((tab): TabOf & { tab: Tab } => ({ tab, ...TABS[tab] }))
        .filter(({ needs }) => !needs || may(needs, line.id))
        .map(({ tab, label, href }) => (
          <a key={tab} href={href(line.id)} aria-current={tab === here ? 'page' : undefined}>
            {label()}
          </a>
        ))}
    </nav>
  );
}

/** Switches to the same page of another line: by search if there are many lines, otherwise by a list. */
function OtherLine({ line, here }: Pick<LineHeadProps, 'line' | 'here'>): VNode | null {
  const lines = useRequest().deps.lines.all();
  if (lines.length < 2) return null;
  return (
    <form class="other-line" method="get" action="/panel/lines/switch" data-reload="" novalidate>
      <input type="hidden" name="page" value={here} />
      <LineField
        state={new FormState(lines.length > MOST_CHOICES ? {} : { other: String(line.id) })}
        name="other"
        none={null}
        label={t('Switch to')}
        hint={t('Another line')}
      />
      <Submit tone="plain">{t('Go')}</Submit>
    </form>
  );
}
