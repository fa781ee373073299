import { type VNode } from 'preact';
import { type SessionRow } from '../../store/tables/sessions';
import { sessionId } from '../../users/end-sessions';
import { t } from '../languages/t';
import { ActionButton } from '../ui/form';
import { Badge, Table, Time } from '../ui/parts';

interface SessionsProps {
  sessions: SessionRow[];
  /** Ends a session below this path. */
  path: string;
  /** The hash of the reader's own session. */
  own: string;
}

/** Sessions of a user, each with a button that ends it. */
export function Sessions({ sessions, path, own }: SessionsProps): VNode {
  return (
    <Table
      caption={t('Sessions')}
      rows={sessions}
      rowKey={(row) => sessionId(row)}
      columns={[
        {
          label: t('Browser'),
          heading: true,
          cell: ({ browser, hash }) => (
            <span class="cluster">
              {inShort(browser)} {hash === own && <Badge tone="info">{t('this one')}</Badge>}
            </span>
          ),
        },
        { label: t('Address'), cell: ({ address }) => address },
        { label: t('Logged in'), cell: ({ created_at: at }) => <Time at={at} /> },
        { label: t('Last seen'), cell: ({ seen_at: at }) => <Time at={at} /> },
        {
          label: t('Changes'),
          actions: true,
          cell: (row) =>
            row.hash !== own && (
              <ActionButton action={`${path}/${sessionId(row)}/end`} tone="quiet">
                {t.of('session', 'End')}
                <span class="sr-only">: {inShort(row.browser)}</span>
              </ActionButton>
            ),
        },
      ]}
    />
  );
}

/** Recognizes browsers by short names, because each describes itself differently. */
function inShort(browser: string): string {
  const name = [/Edg/, /OPR/, /Firefox/, /Chrom/, /Safari/].find((one) => one.test(browser));
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(browser)?.[0];
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', Chrom: 'Chrome' };
  const called = name ? (names[name.source] ?? name.source) : t('Another browser');
  return system ? t('{browser} on {system}', { browser: called, system }) : called;
}
