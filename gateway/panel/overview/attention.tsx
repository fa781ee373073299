import { type ComponentChildren } from 'preact';
import { connectionStateOf } from '../../cloud-api/phone-number';
import { type DeliveryBacklog, type WaitingFor } from '../../store/reports/delivery-list';
import { type DestinationRow } from '../../store/tables/destinations';
import { MINUTE } from '../../time';
import { Time, type Tone } from '../ui/parts';
import { type UserContext } from '../request-context';
import { type PanelDeps } from '../dependencies';
import { upToMost } from '../ui/counts';
import { Advice, HeldBack, hostOf, Waits } from '../ui/held-back';
import { type HourSeen } from './history';

/** Something that needs a person: what it is, and where it is set right. */
export interface Attention {
  key: string;
  tone: Tone;
  title: string;
  text: ComponentChildren;
  /** A destination that can be tried at once. */
  tryNow?: DestinationRow;
  href: string;
  /** On the link. */
  remedy: string;
}

/** What is due for longer than this is late. */
const LATE = 2 * MINUTE;

/** What is most urgent comes first. */
export async function attentionOf(
  context: UserContext,
  backlog: DeliveryBacklog,
  hours: HourSeen[],
): Promise<Attention[]> {
  const { deps } = context;
  const { store, clock, lines } = deps;
  const now = clock();
  const unhealthy = await store.destinations.unhealthy();
  const waiting = await store.deliveryList.waitingFor(unhealthy.map(({ id }) => id));
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0);
  const all: Attention[] = [
    ...lineAttention(deps),
    ...unhealthy.map((one) =>
      destinationAttention(
        context,
        one,
        lines.byId(one.line_id)?.name ?? `Line ${one.line_id}`,
        waiting.get(one.id),
      ),
    ),
    ...(backlog.oldestDueAt !== null && now - Date.parse(backlog.oldestDueAt) > LATE
      ? [
          {
            key: 'late',
            tone: 'warn' as const,
            title: 'Deliveries are late',
            text: `The oldest has been due for ${Math.round((now - Date.parse(backlog.oldestDueAt)) / MINUTE)} minutes. A receiver is slower than what comes in.`,
            href: '/panel/events?state=waiting',
            remedy: 'See what waits',
          },
        ]
      : []),
    ...(backlog.dead
      ? [
          {
            key: 'dead',
            tone: 'bad' as const,
            title:
              backlog.dead === 1
                ? 'One delivery was given up'
                : `${upToMost(backlog.dead)} deliveries were given up`,
            text: 'Their receiver took none of the attempts. See why, correct it there, and send them again.',
            href: '/panel/events?state=dead',
            remedy: 'See them and send them again',
          },
        ]
      : []),
    ...(failed
      ? [
          {
            key: 'failed',
            tone: 'bad' as const,
            title:
              failed === 1
                ? 'One message failed in the last 24 hours'
                : `${failed.toLocaleString('en')} messages failed in the last 24 hours`,
            text: 'Each tells why, and what to do about it.',
            href: '/panel/messages?state=failed',
            remedy: 'See why',
          },
        ]
      : []),
  ];
  return all.toSorted((one, other) => URGENCY.indexOf(one.tone) - URGENCY.indexOf(other.tone));
}

const URGENCY: Tone[] = ['bad', 'warn', 'info'];

function destinationAttention(
  context: UserContext,
  one: DestinationRow,
  line: string,
  waiting: WaitingFor | undefined,
): Attention {
  const host = hostOf(one.url);
  if (one.paused_at !== null)
    return {
      key: `paused-${one.id}`,
      tone: 'warn',
      title: `${line}: ${host} is paused`,
      text: (
        <>
          Since <Time at={one.paused_at} to="minute" />
          {one.paused_because ? `: ${one.paused_because}` : '.'} <Waits count={waiting?.count ?? 0} />
        </>
      ),
      href: '/panel/events#main',
      remedy: 'Let it go on',
    };
  return {
    key: `failing-${one.id}`,
    tone: 'bad',
    title: `${line}: ${host} accepts no events`,
    text: (
      <>
        <HeldBack context={context} destination={one} waiting={waiting} /> <Advice context={context} />
      </>
    ),
    href: `/panel/events?destination=${one.id}`,
    remedy: 'See its deliveries',
    tryNow: one,
  };
}

function lineAttention({ lines, destinations }: PanelDeps): Attention[] {
  return lines.all().flatMap((line): Attention[] => {
    if (!line.isActive) return [];
    const at = `/panel/lines/${line.id}`;
    const state = connectionStateOf(line.upstream?.status ?? null);
    const quality = line.upstream?.quality_rating?.toUpperCase();
    const found: Attention[] = [];
    if (line.accessToken === null)
      found.push({
        key: `credentials-${line.id}`,
        tone: 'bad',
        title: `${line.name} has no access token`,
        text: 'Nothing can be sent through it.',
        href: `${at}/edit`,
        remedy: 'Give it one',
      });
    if (state !== 'connected' && state !== 'unknown')
      found.push({
        key: `state-${line.id}`,
        tone: 'bad',
        title: `${line.name} is not connected`,
        text: `WhatsApp says ${line.upstream?.status ?? 'nothing'} of its number.`,
        href: at,
        remedy: 'Look at the line',
      });
    if (quality === 'RED')
      found.push({
        key: `quality-${line.id}`,
        tone: 'bad',
        title: `The quality of ${line.name} is low`,
        text: 'Too many people blocked or reported it, so that the gateway sends nothing through it. Write only to those who expect it until that recovers.',
        href: at,
        remedy: 'Look at the line',
      });
    if (!destinations.ofLine(line.id).length)
      found.push({
        key: `forwarding-${line.id}`,
        tone: 'info',
        title: `${line.name} passes nothing on`,
        text: 'No destination is set, so that replies and delivery statuses stay here.',
        href: `${at}/edit`,
        remedy: 'Set the forwarding URL',
      });
    return found;
  });
}
