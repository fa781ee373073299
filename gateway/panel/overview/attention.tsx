import { type ComponentChildren } from 'preact';
import { type Condition } from '../../alerts/conditions/condition';
import { ALERT_OF, healthOf, type LineFacts } from '../../alerts/conditions/lines';
import { findConditions } from '../../alerts/facts';
import { waitingFor, waitingOf } from '../../alerts/waiting';
import { type Severity } from '../../store/schema';
import { type WaitingFor } from '../../store/reports/backlog';
import { type LastAttempt } from '../../store/reports/destination-report';
import { type DestinationRow } from '../../store/tables/destinations';
import { Time, type Tone } from '../ui/parts';
import { type UserContext } from '../request-context';
import { type PanelDeps } from '../dependencies';
import { upToMost } from '../languages/numbers';
import { Strip, type AttemptsOf } from '../ui/history/attempts';
import { alertPath, ALERTS_PATH } from '../alert/alert-path';
import { alertLink, alertText, incidentText, subjectOfCondition } from '../alert/alert-text';
import { isSilent } from '../destination/is-silent';
import { HeldBackBriefly, Resume, TryNow, Waits } from '../destination/held-back';
import { HealthBadge } from '../ui/words/line-health';
import { destinationIdOf, destinationsOf } from '../ui/shown-address';
import { type SpanSeen } from './history';
import { type AlertKind } from '../../wording/facts';
import { languageNow } from '../../wording/language';
import { sayMany } from '../../wording/say';
import { t } from '../languages/t';

/** A problem that needs a person, with a link to its solution. */
export interface Attention {
  key: string;
  /** The number of things that the row counts; 1 if omitted. */
  count?: number;
  tone: Tone;
  title: ComponentChildren;
  /** The attempts of the last 24 hours, as a strip. */
  day?: ComponentChildren;
  text: ComponentChildren;
  /** A button for an immediate action, for destinations. */
  act?: ComponentChildren;
  href: string;
  /** The label of the link. */
  remedy: ComponentChildren;
}

const TONES: Record<Severity, Tone> = { critical: 'bad', warning: 'warn', info: 'info' };
const URGENCY: Tone[] = ['bad', 'warn', 'info'];

/** Above this number, problems of one kind share a row. */
const MOST_OF_A_KIND = 5;
/** Most lines that a shared row names. */
const MOST_NAMED = 3;

/**
 * Most urgent first: the conditions of alerts, and hints that are only shown here.
 * @param dead given up deliveries that can be resent
 */
export async function attentionOf(
  context: UserContext,
  dead: number,
  hours: SpanSeen[],
  attempts: AttemptsOf,
): Promise<Attention[]> {
  const [{ conditions, facts }, ofProcesses] = await Promise.all([
    findConditions(context.deps),
    seenByProcesses(context),
  ]);
  const shown = conditions.filter(({ kind }) => kind !== 'deliveries_given_up');
  const kinds = [...Map.groupBy(shown, ({ kind }) => kind)];
  const many = kinds.flatMap(([, ofKind]) => (ofKind.length > MOST_OF_A_KIND ? ofKind : []));
  const [found, waiting, linesOfDead, channels] = await Promise.all([
    detailsOf(context.deps, kinds),
    waitingFor(context.deps.store.backlog, many),
    dead ? context.deps.store.backlog.linesOfDead(MOST_NAMED + 1) : [],
    context.deps.store.alerts.channels(),
  ]);
  const details = { ...found, attempts, facts };
  const all: Attention[] = [
    ...kinds.flatMap(([kind, ofKind]) =>
      ofKind.length > MOST_OF_A_KIND
        ? [manyOf(context, kind, ofKind, waiting, details)]
        : ofKind.map((one) => attention(context, one, details)),
    ),
    ...ofProcesses,
    ...(dead ? [givenUp(context, dead, linesOfDead)] : []),
    ...(context.may('messages.read') ? failedMessages(hours) : []),
    ...silentLines(context),
    ...(await linesNotCalled(context)),
  ];
  const isWrong = all.some(({ tone }) => tone !== 'info');
  if (isWrong && !channels.length && context.may('alerts.manage', null)) all.push(nobodyIsTold());
  return all.toSorted((one, other) => URGENCY.indexOf(one.tone) - URGENCY.indexOf(other.tone));
}

/** The overview is already open, so the alerts of the gateway itself lead to their incidents. */
const linkFromHere = (context: UserContext, path: string) =>
  alertLink(context, path === '/panel/overview' ? ALERTS_PATH : path);

/** Incidents that only one process can see, such as a full disk. They exist only as stored incidents. */
async function seenByProcesses(context: UserContext): Promise<Attention[]> {
  const open = await context.deps.store.alerts.open();
  return open
    .filter(({ process }) => process !== null)
    .map((row) => {
      const { title, text, action } = incidentText(context, row, undefined);
      const { href, label } = linkFromHere(context, row.path);
      return {
        key: `${row.kind}-${row.subject}`,
        tone: TONES[row.severity],
        title,
        text: (
          <>
            {text} {action}
          </>
        ),
        href,
        remedy: label,
      };
    });
}

/** Shown during incidents to users who can add a channel. */
const nobodyIsTold = (): Attention => ({
  key: 'no-channel',
  tone: 'warn',
  title: t('No one is notified of incidents'),
  text: t('There is no alert channel yet: e-mail, Slack, Telegram and others.'),
  href: '/panel/alerts/channels/new',
  remedy: t('Add a channel'),
});

/**
 * Destinations of the shown conditions. Waiting deliveries are only counted for destinations with their own
 * row.
 */
interface Details {
  destinations: Map<number, DestinationRow>;
  waiting: Map<number, WaitingFor>;
  lastAttempts: Map<number, LastAttempt | null>;
  attempts: AttemptsOf;
  /** For the state of lines. */
  facts: LineFacts;
}

async function detailsOf(
  deps: PanelDeps,
  kinds: [AlertKind, Condition[]][],
): Promise<Omit<Details, 'attempts' | 'facts'>> {
  const alone = kinds.flatMap(([, ofKind]) => (ofKind.length > MOST_OF_A_KIND ? [] : ofKind));
  const named = kinds.flatMap(([, ofKind]) =>
    ofKind.length > MOST_OF_A_KIND ? ofKind.slice(0, MOST_NAMED) : [],
  );
  const ids = alone.map(destinationIdOf).filter((id) => id !== null);
  const [destinations, waiting, lastAttempts] = await Promise.all([
    destinationsOf(deps, [...alone, ...named]),
    deps.store.backlog.of(ids),
    deps.store.lastAttempts(ids),
  ]);
  return { destinations, waiting, lastAttempts };
}

function attention(
  context: UserContext,
  one: Condition,
  { destinations, waiting, lastAttempts, attempts, facts }: Details,
): Attention {
  const destination = destinations.get(destinationIdOf(one) ?? 0);
  const { title, text, action } = alertText(context, subjectOfCondition(one), destination);
  const { href, label } = linkFromHere(context, alertPath(one));
  const common = {
    key: `${one.kind}-${one.subject}`,
    tone: TONES[one.severity],
    title,
    href,
    remedy: label,
  };
  if (destination && one.kind === 'destination_failing')
    return {
      ...common,
      day: <Strip of={attempts(destination.id)} />,
      text: (
        <HeldBackBriefly
          destination={destination}
          lastAttempt={lastAttempts.get(destination.id) ?? null}
          waiting={waiting.get(destination.id)}
        />
      ),
      act: <TryNow destination={destination} from="overview" />,
    };
  if (destination && one.kind === 'destination_paused')
    return {
      ...common,
      text: (
        <>
          {t.rich('Since {when}', { when: <Time at={one.since} to="minute" /> })}
          {text ? <>: {text}</> : '.'} <Waits count={waiting.get(destination.id)?.count ?? 0} />
        </>
      ),
      act: <Resume destination={destination} from="overview" />,
    };
  const lineId =
    one.lineId ?? (one.kind === 'line_restricted' && 'lineId' in one.values ? one.values.lineId : null);
  const line = lineId === null ? null : context.deps.lines.byId(lineId);
  const health = line && healthOf(line, facts);
  return {
    ...common,
    text: (
      <>
        {health && ALERT_OF[health] === one.kind && <HealthBadge health={health} />} {text} {action}
      </>
    ),
  };
}

/** One row for many conditions of a kind. */
function manyOf(
  context: UserContext,
  kind: AlertKind,
  conditions: Condition[],
  counted: Map<string, number>,
  { destinations }: Details,
): Attention {
  const tones = conditions.map(({ severity }) => TONES[severity]);
  const waiting = conditions.reduce((sum, one) => sum + (waitingOf(counted, one) ?? one.waiting ?? 0), 0);
  const named = conditions.slice(0, MOST_NAMED);
  const names = named.map(({ lineId }) =>
    lineId === null ? null : (context.deps.lines.byId(lineId)?.name ?? null),
  );
  const more = conditions.length - named.length;
  // The titles of lines differ only in the name.
  const isOfLines = kind.startsWith('line_') && names.every((name) => name !== null);
  return {
    key: kind,
    count: conditions.length,
    tone: URGENCY.find((tone) => tones.includes(tone)) ?? 'info',
    title: sayMany(languageNow(), kind, conditions.length),
    text: (
      <>
        {isOfLines
          ? t('{names} and {count, plural, one {# more line} other {# more lines}}.', {
              names: names.join(', '),
              count: more,
            })
          : named.map((one) => (
              <span key={one.subject}>
                {
                  alertText(context, subjectOfCondition(one), destinations.get(destinationIdOf(one) ?? 0))
                    .title
                }
                .{' '}
              </span>
            ))}
        {waiting > 0 && <Waits count={waiting} />}
      </>
    ),
    href: ALERTS_PATH,
    remedy: t('View all'),
  };
}

/** @param lineIds up to one line more than the row names */
function givenUp({ deps, may }: UserContext, dead: number, lineIds: number[]): Attention {
  const names = lineIds.map((id) => deps.lines.byId(id)?.name ?? t('line {id}', { id }));
  const [only] = names;
  const of = { dead, shown: upToMost(dead) };
  return {
    key: 'dead',
    tone: 'bad',
    title:
      names.length === 1 && only !== undefined
        ? t(
            '{name}: {dead, plural, one {one delivery was given up} other {{shown} deliveries were given up}}',
            { name: only, ...of },
          )
        : t('{dead, plural, one {One delivery was given up} other {{shown} deliveries were given up}}', of),
    text: (
      <>
        {names.length > 1 &&
          `${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ' …' : ''}. `}
        {t(
          'Every attempt failed. Fix the receiver, then resend the deliveries. The count includes older ones.',
        )}
      </>
    ),
    href: '/panel/events?state=dead',
    remedy: may('deliveries.replay') ? t('View and resend') : t('See why'),
  };
}

/** Share of failed messages that is an urgent problem. A few unreachable numbers are normal. */
export const MANY_FAILED = 0.05;

function failedMessages(hours: SpanSeen[]): Attention[] {
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0);
  const sent = hours.reduce((sum, hour) => sum + hour.messages, 0);
  if (!failed) return [];
  return [
    {
      key: 'failed',
      tone: failed >= sent * MANY_FAILED ? 'bad' : 'warn',
      title: t('{failed, plural, one {One message failed} other {# messages failed}} in the last 24 hours', {
        failed,
      }),
      text: t('Of {sent, number} sent messages. Each shows the reason and what to do.', { sent }),
      href: '/panel/messages?state=failed',
      remedy: t('See why'),
    },
  ];
}

const silentLines = ({ deps, may }: UserContext): Attention[] =>
  deps.lines
    .all()
    .filter((line) => isSilent(deps, line))
    .map(({ id, name }) => ({
      key: `forwarding-${id}`,
      tone: 'info',
      title: t('{name} has no destination', { name }),
      text: t('Replies and delivery statuses are stored but not forwarded.'),
      href: `/panel/lines/${id}${may('lines.manage', id) ? '/edit' : ''}`,
      remedy: may('lines.manage', id) ? t('Set the forwarding URL') : t('Open line'),
    }));

/**
 * Lines for which the platform has never called the gateway. With a shared callback, one call proves that it
 * is connected for all lines.
 */
async function linesNotCalled({ deps, may }: UserContext): Promise<Attention[]> {
  if (deps.sandboxUrl !== null) return [];
  const ids = await deps.store.glance.notCalled();
  const active = deps.lines.all().filter(({ isActive }) => isActive);
  if (deps.callback.verifyToken !== null && ids.length < active.length) return [];
  return active
    .filter(({ id }) => ids.includes(id))
    .map(({ id, name }) => ({
      key: `callback-${id}`,
      tone: 'info',
      title: t('The callback of {name} is not connected', { name }),
      text: t('The platform has not called this gateway yet. Without the callback, no events arrive.'),
      href: `/panel/lines/${id}#handshake`,
      remedy: may('lines.manage', id) ? t('Connect the callback') : t('Open line'),
    }));
}
