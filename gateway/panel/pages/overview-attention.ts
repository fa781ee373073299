import { connectionStateOf } from '../../cloud-api/phone-number';
import { type DeliveryBacklog } from '../../store/delivery-list';
import { type DestinationRow } from '../../store/destinations';
import { isoTime, MINUTE } from '../../time';
import { type Tone } from '../look/parts';
import { type PanelWorld } from '../world';
import { upToMost } from './events-words';
import { type HourSeen } from './overview-history';

/** Something that needs a person: what it is, and where it is set right. */
export interface Attention {
  key: string;
  tone: Tone;
  title: string;
  text: string;
  href: string;
  /** On the link. */
  remedy: string;
}

/** What is due for longer than this is late. */
const LATE = 2 * MINUTE;

/** What is most urgent comes first. */
export async function attentionOf(
  world: PanelWorld,
  backlog: DeliveryBacklog,
  hours: HourSeen[],
): Promise<Attention[]> {
  const { store, clock } = world;
  const now = clock();
  const destinations = await store.destinations.active(isoTime(now));
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0);
  const all: Attention[] = [
    ...lineTroubles(world, destinations),
    ...destinations.flatMap(destinationTrouble),
    ...(backlog.oldestDueAt !== null && now - Date.parse(backlog.oldestDueAt) > LATE
      ? [
          {
            key: 'late',
            tone: 'warn' as const,
            title: 'Deliveries are late',
            text: `The oldest has been due for ${Math.round((now - Date.parse(backlog.oldestDueAt)) / MINUTE)} minutes. A receiver is slower than what comes in, or fails.`,
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

function destinationTrouble(one: DestinationRow): Attention[] {
  const href = '/panel/events#main';
  if (one.paused_at !== null)
    return [
      {
        key: `paused-${one.id}`,
        tone: 'warn',
        title: `Destination ${one.id} is paused`,
        text: `${one.url}: what comes in for it waits${one.paused_because ? ` (${one.paused_because})` : ''}.`,
        href,
        remedy: 'Let it go on',
      },
    ];
  if (one.failing_since === null) return [];
  return [
    {
      key: `failing-${one.id}`,
      tone: 'bad',
      title: `Destination ${one.id} takes nothing`,
      text: `${one.url}${one.last_failure ? ` (${one.last_failure})` : ''}. Look at the receiver; what it does not take waits, and goes out by itself once it does.`,
      href: `/panel/events?destination=${one.id}`,
      remedy: 'See its deliveries',
    },
  ];
}

function lineTroubles({ lines }: PanelWorld, destinations: DestinationRow[]): Attention[] {
  return lines.all().flatMap((line): Attention[] => {
    if (!line.isActive) return [];
    const at = `/panel/lines/${line.id}`;
    const state = connectionStateOf(line.upstream?.status ?? null);
    const quality = line.upstream?.quality_rating?.toUpperCase();
    const told: Attention[] = [];
    if (line.accessToken === null)
      told.push({
        key: `credentials-${line.id}`,
        tone: 'bad',
        title: `${line.name} has no access token`,
        text: 'Nothing can be sent through it.',
        href: `${at}/edit`,
        remedy: 'Give it one',
      });
    if (state !== 'connected' && state !== 'unknown')
      told.push({
        key: `state-${line.id}`,
        tone: 'bad',
        title: `${line.name} is not connected`,
        text: `WhatsApp says ${line.upstream?.status ?? 'nothing'} of its number.`,
        href: at,
        remedy: 'Look at the line',
      });
    if (quality === 'RED')
      told.push({
        key: `quality-${line.id}`,
        tone: 'bad',
        title: `The quality of ${line.name} is low`,
        text: 'Too many people blocked or reported it, so that the gateway sends nothing through it. Write only to those who expect it until that recovers.',
        href: at,
        remedy: 'Look at the line',
      });
    if (!destinations.some((one) => one.line_id === line.id))
      told.push({
        key: `forwarding-${line.id}`,
        tone: 'info',
        title: `${line.name} passes nothing on`,
        text: 'No destination is set, so that replies and delivery statuses stay here.',
        href: `${at}/edit`,
        remedy: 'Set the forwarding URL',
      });
    return told;
  });
}
