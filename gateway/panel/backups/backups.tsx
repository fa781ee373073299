import { setTimeout as wait } from 'node:timers/promises';
import { type VNode } from 'preact';
import { audited } from '../../store/with-audit';
import { SECOND } from '../../time';
import { type Backup, type Backups } from '../dependencies';
import { number } from '../languages/numbers';
import { t } from '../languages/t';
import { page, seeOther, type PanelResponse } from '../outcome';
import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { pageNotFound } from '../ui/frame/error-page';
import { ActionButton } from '../ui/form';
import { Live } from '../ui/live';
import { Card, Empty, Facts, Notice, PageHead, Table, Time } from '../ui/parts';

/** The backups that the gateway makes periodically. */
export const backupPages: PanelRoute[] = [
  pageRoute('gateway', '/backups', showBackups, { live: true }),
  actionRoute('gateway', '/backups', makeBackup),
  actionRoute('gateway', '/backups/download', download, { confirmed: () => t('To download a backup') }),
];

/** How long a request waits for a backup. A longer backup continues in the background. */
const PATIENCE = 3 * SECOND;

function showBackups({ deps: { backups, store } }: UserContext): PanelResponse {
  return page(
    <PageHead
      title={t('Backups')}
      actions={backups && <ActionButton action="/panel/backups">{t('Back up now')}</ActionButton>}
    >
      {t('Copies of the whole database. Messages, contacts and password hashes can be read in them.')}
    </PageHead>,
    backups ? (
      <Live id="backups">
        <Made backups={backups} />
      </Live>
    ) : (
      <Instead isPostgres={store.dialect === 'postgres'} />
    ),
  );
}

function Made({ backups }: { backups: Backups }): VNode {
  const list = backups.list();
  const [last] = list;
  const failure = backups.failure();
  return (
    <div class="stack">
      {backups.isRunning() && (
        <Notice tone="info">
          <p>{t('A backup is being made.')}</p>
        </Notice>
      )}
      {failure !== null && (
        <Notice tone="bad">
          <p>{t('The last backup failed. The gateway tries again within an hour.')}</p>
          <p>
            <code lang="en">{failure}</code>
          </p>
        </Notice>
      )}
      <Card title={t('Every day')}>
        <Facts
          facts={[
            [
              t('Last backup'),
              last ? (
                <>
                  <Time at={last.at} to="minute" />, {sizeOf(last)}
                </>
              ) : (
                t('none yet')
              ),
            ],
            [t('Next backup'), <Time at={backups.nextAt()} to="minute" />],
            [t('Folder'), <code>{backups.folder}</code>],
          ]}
        />
      </Card>
      <Card flush title={t('Backups')}>
        {list.length ? (
          <Table
            caption={t('Backups')}
            rows={list}
            rowKey={({ name }) => name}
            columns={[
              { label: t('Made'), heading: true, cell: ({ at }) => <Time at={at} to="minute" /> },
              { label: t('Size'), cell: (one) => sizeOf(one) },
              {
                label: t('Actions'),
                actions: true,
                cell: ({ name, at }) => (
                  <ActionButton action="/panel/backups/download" fields={{ name }} tone="plain">
                    {t('Download')}
                    <span class="sr-only">
                      {' '}
                      <Time at={at} to="minute" />
                    </span>
                  </ActionButton>
                ),
              },
            ]}
          />
        ) : (
          <Empty title={t('There is no backup yet')}>
            <p>{t('The first one is made within a few minutes.')}</p>
          </Empty>
        )}
      </Card>
      <p class="quiet">
        {t.rich(
          'To restore one, stop the gateway and run <code>messaging-gateway restore FILE</code>. Keep a copy on another machine, and <code>GATEWAY_SECRET_KEY</code> in another place.',
        )}
      </p>
    </div>
  );
}

const Instead = ({ isPostgres }: { isPostgres: boolean }): VNode => (
  <Card title={t('How to back up')}>
    <p>
      {isPostgres
        ? t.rich(
            'This gateway uses PostgreSQL, which has its own backups: <code>pg_dump --format=custom</code>, point-in-time recovery, or a synchronous replica.',
          )
        : t.rich(
            'Set <code>GATEWAY_BACKUP_DIR</code> to a folder, best on another disk, and start the gateway again. It then makes a backup every day. Without it, run <code>messaging-gateway backup FILE</code> on the server.',
          )}
    </p>
  </Card>
);

const MEGABYTE = 1024 * 1024;

const sizeOf = ({ bytes }: Backup): string =>
  bytes < 10 * MEGABYTE
    ? `${number(Math.ceil((10 * bytes) / MEGABYTE) / 10)} MB`
    : `${number(Math.round(bytes / MEGABYTE))} MB`;

async function makeBackup({ deps, actor }: UserContext): Promise<PanelResponse> {
  const { backups } = deps;
  if (!backups) throw pageNotFound();
  await audited(deps, actor, { action: 'backup.requested' }, async () => {});
  const ended = new AbortController();
  await Promise.race([
    backups.make().finally(() => ended.abort()),
    wait(PATIENCE, null, { signal: ended.signal }).catch(() => undefined),
  ]);
  if (backups.isRunning()) return seeOther('/panel/backups', t('A backup is being made.'));
  return seeOther('/panel/backups', backups.failure() === null ? t('The backup is made.') : undefined);
}

async function download({ deps, actor, form }: UserContext): Promise<PanelResponse> {
  const name = String(form.get('name') ?? '');
  const backup = deps.backups?.list().find((one) => one.name === name);
  if (!backup) throw pageNotFound();
  await audited(deps, actor, { action: 'backup.downloaded', details: { file: name } }, async () => {});
  const content = deps.backups?.open(name);
  if (!content) throw pageNotFound();
  return {
    kind: 'file',
    type: 'application/octet-stream',
    content,
    headers: {
      'content-disposition': `attachment; filename="${name}"`,
      'content-length': String(backup.bytes),
    },
  };
}
