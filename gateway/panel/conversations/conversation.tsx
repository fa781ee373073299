import { type VNode } from 'preact';
import { UpstreamRefused } from '../../cloud-api/failures';
import { writerName } from '../../cloud-api/written-text';
import { contactNames } from '../../messages/contact-names';
import { saidBefore } from '../../messages/said';
import { templatesOf } from '../../messages/sent-words';
import { type Line } from '../../lines/line';
import { type DeliveryStanding } from '../../store/reports/delivery-list';
import { MINUTE } from '../../time';
import { STATE_TONES, stateOf, stateWord } from '../log/delivery-words';
import { t } from '../languages/t';
import { Avatar } from '../ui/avatar';
import { partnerOf } from '../ui/contact';
import { Live } from '../ui/live';
import { Badge, Empty, PageHead } from '../ui/parts';
import { useRequest } from '../ui/page-request';
import { pageNotFound } from '../ui/frame/error-page';
import { cannotSend } from '../ui/words/line-health';
import { QuickCompose } from '../send/quick-compose';
import { windowEnd, WindowState } from '../send/window-state';
import {
  conversationHref,
  conversationsHref,
  sentEntry,
  Thread,
  wordOf,
  writtenEntry,
  type ThreadEntry,
} from '../chat/thread';
import { page, type PanelResponse } from '../outcome';
import { pageRoute, type PanelRoute } from '../panel-route';
import { type UserContext } from '../request-context';
import { contactActions, pauseBanner, questionBanners } from './contact-actions';
import { latestBeside } from './latest-beside';

/** The conversation between a line and one contact. */
export const conversationPages: PanelRoute[] = [
  pageRoute('messages.read', '/conversations/:line/:contact', showConversation, { live: true }),
  pageRoute('messages.read', '/conversations/:line/files/:file', sendFile),
];

const PAGE = 50;

const lineOf = ({ deps, params }: UserContext) => {
  const line = /^\d{1,9}$/.test(params.line ?? '') ? deps.lines.byId(Number(params.line)) : null;
  if (!line) throw pageNotFound();
  return line;
};

async function showConversation(context: UserContext): Promise<PanelResponse> {
  const { params, query } = context;
  const line = lineOf(context);
  const contact = params.contact ?? '';
  const before = /^\d{1,15}$/.test(query.get('before') ?? '') ? Number(query.get('before')) : null;
  const of = {
    isOfLine: query.get('line') === String(line.id),
    waits: query.has('waits'),
    customer: context.customer,
  };
  const names = await contactNames(context.deps.store, contact);
  await context.looked('conversation', [{ line_id: line.id, contact }]);
  const { entries, older, written } = await said(context, line.id, names, before);
  const { name, number, isGroup } = partnerOf(contact, written);
  const pane = await latestBeside(context, { line, names, of });
  const maySend = context.may('messages.send', line.id);
  const end = maySend ? await windowEnd(context, line, contact) : null;
  const who = name ?? number;
  const list = conversationsHref(line.id, of);
  const banners = [
    maySend && (await cannotSend(context, line)),
    await questionBanners(context, line, contact),
    await pauseBanner(context, line, contact),
  ];
  const doings = isGroup ? null : await contactActions(context, line, contact);
  return page(
    <PageHead
      title={who}
      tab={t('Conversation with {contact}', { contact: who })}
      back={{ href: list, label: t('Conversations') }}
      sign={<Avatar name={isGroup ? number : name} of={contact} />}
      actions={
        <details class="doings">
          <summary>
            <span aria-hidden="true">⋯</span>
            <span class="sr-only">{t('More of this contact')}</span>
          </summary>
          <div class="doings-list">
            <a href={`/panel/messages?q=${encodeURIComponent(contact)}`}>{t('Messages sent')}</a>
            <a href={`/panel/events?q=${encodeURIComponent(contact)}`}>{t('Events')}</a>
            {doings}
          </div>
        </details>
      }
    >
      {name !== null && (
        <>
          <span class="number">{number}</span> ·{' '}
        </>
      )}
      <a href={`/panel/lines/${line.id}`}>{line.name}</a>
    </PageHead>,
    <>
      {pane}
      <section class="talk">
        <Live id="automation">{banners}</Live>
        <Live id="conversation">
          <div class="talk-said" data-scroll={before === null ? 'end' : ''}>
            <Ways before={before} address={conversationHref(line.id, contact, of)} older={older} />
            {entries.length ? (
              <Thread contact={contact} entries={entries} note={<Unkept line={line} />} />
            ) : (
              <Empty title={t('No messages here')}>
                <a href={`/panel/conversations?line=${line.id}`}>
                  {t('Contacts of {name}', { name: line.name })}
                </a>
              </Empty>
            )}
            <div id="latest" />
          </div>
        </Live>
        {maySend && (
          <Reply
            line={line}
            contact={contact}
            isGroup={isGroup}
            from={wordOf(of)}
            end={end}
            now={context.deps.clock()}
          />
        )}
      </section>
    </>,
  );
}

/** Why some sent messages show only their kind, and how to change that. */
const Unkept = ({ line }: { line: Line }): VNode => (
  <p>
    {line.keepsSent || !useRequest().may('lines.manage', line.id)
      ? t("The text of these messages wasn't stored.")
      : t.rich("The text of these messages wasn't stored. <link>Store it from now on</link>", {
          link: (parts) => <a href={`/panel/lines/${line.id}/edit#field-keep_sent`}>{parts}</a>,
        })}
  </p>
);

interface ReplyProps {
  line: Line;
  contact: string;
  isGroup: boolean;
  from: string;
  /** When the 24-hour window ends; null if it is closed. */
  end: number | null;
  now: number;
}

/**
 * The text field while the window is open, or else a link to templates. CSS switches when the window changes.
 * For groups, the gateway doesn't know a window.
 */
const Reply = ({ line, contact, isGroup, from, end, now }: ReplyProps): VNode => (
  <div class="reply" data-any={isGroup || line.windowMode === 'upstream' ? '' : undefined}>
    {!isGroup && (
      <Live id="window">
        <WindowState end={end} now={now} />
      </Live>
    )}
    <a
      class="button primary"
      href={`/panel/lines/${line.id}/send?${new URLSearchParams({ to: contact, ...(isGroup && { group: 'yes' }), kind: 'template', from })}`}
    >
      {t('Send a template')}
    </a>
    <QuickCompose line={line} to={contact} isGroup={isGroup} from={from} />
  </div>
);

interface WaysProps {
  before: number | null;
  address: string;
  older: number | null;
}

/** Links to older messages, and back to the latest. */
function Ways({ before, address, older }: WaysProps): VNode | null {
  if (before === null && older === null) return null;
  return (
    <nav class="actions" aria-label={t('Pages')}>
      {older !== null && (
        <a
          class="button plain"
          href={`${address}${address.includes('?') ? '&' : '?'}before=${older}`}
          rel="next"
        >
          {t('Older')}
        </a>
      )}
      {before !== null && (
        <a class="button plain" href={address}>
          {t('Latest')}
        </a>
      )}
    </nav>
  );
}

/**
 * The latest messages before a time in milliseconds, sent and received.
 * @returns the place where older messages start, and the last received message that names its sender
 */
async function said(
  { deps }: UserContext,
  lineId: number,
  names: string[],
  before: number | null,
): Promise<{ entries: ThreadEntry[]; older: number | null; written: string | null }> {
  const {
    said: shown,
    older,
    written,
  } = await saidBefore(deps.store, lineId, names, before ?? deps.clock() + MINUTE, PAGE);
  const templates = await templatesOf(
    deps.store,
    shown.flatMap(({ sent }) => sent ?? []),
  );
  const entries = shown.map(({ written: event, sent }) =>
    event ? writtenEntry(lineId, event) : sentEntry(sent, templates, ''),
  );
  const named = written.find(({ body }) => writerName(body) !== null) ?? written[0];
  const forwarded = await forwardedOf(
    deps,
    entries.filter(({ isOurs }) => !isOurs).map(({ key }) => key),
  );
  return {
    entries: entries.map((entry) => ({ ...entry, forwarded: forwarded.get(entry.key) })),
    older,
    written: named?.body ?? null,
  };
}

/** Of several deliveries, the first of these states is shown. */
const FIRST_OF_ALL: DeliveryStanding[] = ['dead', 'parked', 'waiting', 'delivered', 'canceled'];

/**
 * Badges for events that were not forwarded, or not yet, by event id. Events without a destination have none.
 */
async function forwardedOf({ store }: UserContext['deps'], ids: string[]): Promise<Map<string, VNode>> {
  const deliveries = Map.groupBy(await store.eventList.standingOf(ids), ({ event_id: id }) => id);
  return new Map(
    [...deliveries].flatMap(([id, some]) => {
      const states = new Set(some.map(stateOf));
      const state = FIRST_OF_ALL.find((one) => states.has(one)) ?? 'delivered';
      return state === 'delivered'
        ? []
        : [[id, <Badge tone={STATE_TONES[state]}>{forwardedWord(state)}</Badge>] as const];
    }),
  );
}

/** In a chat, "waiting" could mean that the contact waits for a reply. */
const forwardedWord = (state: DeliveryStanding): string =>
  state === 'waiting' ? t('Not forwarded yet') : stateWord(state);

/** Upper bound; the download also ends when the browser leaves. */
const LONGEST_FILE = 15 * MINUTE;

/** Image types that cannot run scripts. */
const PICTURES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];

/**
 * Downloads a file of the line from the platform. Only pictures are shown, because the contact controls the
 * content.
 */
async function sendFile(context: UserContext): Promise<PanelResponse> {
  const { id: lineId, accessToken, phoneNumberId } = lineOf(context);
  const id = context.params.file ?? '';
  if (accessToken === null || !/^[\w.-]{1,200}$/.test(id)) throw pageNotFound();
  await context.looked('file', [{ line_id: lineId, contact: null }]);
  const { cloudApi } = context.deps;
  try {
    const node = await cloudApi.media({ accessToken, phoneNumberId }, id);
    if (!node) throw pageNotFound();
    const type = node.mime_type?.split(';')[0]?.trim().toLowerCase() ?? '';
    const isShown = PICTURES.includes(type);
    const { body } = await cloudApi.mediaContent(accessToken, node.url, {
      signal: AbortSignal.timeout(LONGEST_FILE),
    });
    return {
      kind: 'file',
      type: isShown ? type : 'application/octet-stream',
      content: body,
      headers: {
        'content-disposition': isShown ? 'inline' : 'attachment',
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'private, max-age=600',
      },
    };
  } catch (error) {
    // The platform no longer stores the file, or the file belongs to another line.
    if (error instanceof UpstreamRefused) throw pageNotFound();
    throw error;
  }
}
