import { type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { LruCache } from '../../../primitives/lru-cache';
import { eventIdBefore } from '../../../store/event-id';
import { type AttemptCounts } from '../../../store/reports/history';
import { isoTime } from '../../../time';
import { type PanelDeps } from '../../dependencies';
import { languageNow, WRITTEN } from '../../../wording/language';
import { percent } from '../../languages/numbers';
import { t } from '../../languages/t';
import { LookContext } from '../frame/look';
import { inZone } from '../parts';
import { SpanCounts, type RangeName, type Span } from './spans';

/** Attempts over time, by the time when their event was received. */
export type AttemptHistory = Span<AttemptCounts>[];

const NONE: AttemptCounts = { made: 0, failed: 0 };

const plus = (one: AttemptCounts, other: AttemptCounts = NONE): AttemptCounts => ({
  made: one.made + other.made,
  failed: one.failed + other.failed,
});

export const sumOf = (attempts: AttemptHistory): AttemptCounts =>
  attempts.reduce((sum, { counted }) => plus(sum, counted), NONE);

/** Returns the attempts at one or several of the requested destinations. */
export type AttemptsOf = (...some: number[]) => AttemptHistory;

/** Most sets of destinations with cached counts. */
const MOST_KEPT = 200;

type Counts = SpanCounts<Map<number, AttemptCounts>>;
const kept = new WeakMap<PanelDeps['store'], LruCache<Counts>>();

/** @param ids destinations to count; null: all */
export async function attemptsOf(
  { store, clock }: PanelDeps,
  ids: number[] | null,
  range: RangeName = '24h',
): Promise<AttemptsOf> {
  const ofStore = kept.get(store) ?? new LruCache<Counts>(MOST_KEPT);
  kept.set(store, ofStore);
  const key = ids?.join() ?? 'all';
  const counts =
    ofStore.get(key) ??
    new SpanCounts<Map<number, AttemptCounts>>(
      (from, to) => store.history.attempts(ids, eventIdBefore(from), eventIdBefore(to)),
      // Never settled, because deliveries are retried for a week and can be resent later.
      () => false,
    );
  ofStore.set(key, counts);
  const spans = await counts.of(range, clock());
  return (...some) =>
    spans.map(({ from, counted }) => ({
      from,
      counted: some.reduce((sum, id) => plus(sum, counted.get(id)), NONE),
    }));
}

const shareOf = ({ made, failed }: AttemptCounts): string => percent((made - failed) / made);

/** The success rate, as "98.5% of 1,204 attempts". */
export function Success({ of: { made, failed } }: { of: AttemptCounts }): VNode {
  if (!made) return <span class="quiet">{t('no attempt')}</span>;
  return (
    <>
      {t('{share} of {made, plural, one {# attempt} other {# attempts}}', {
        share: shareOf({ made, failed }),
        made,
      })}
    </>
  );
}

/** Units of a drawing: the width of a bar with its gap, and the full height. */
const STEP = 4;
const HIGH = 20;
/** Least height of the red part, so that it stays visible. */
const LEAST_RED = 5;
/** With more failing hours, the text gives only their number. */
const MOST_TOLD = 3;

/** Attempts of a day: a bar per hour. The failed share is red. */
export function Strip({ of: attempts }: { of: AttemptHistory }): VNode {
  const { zone } = useContext(LookContext);
  const told = toldStrip(attempts, zone);
  const bars = (high: (counts: AttemptCounts) => number) =>
    attempts
      .map(({ counted }, index) => ({ x: index * STEP + 1.5, y: Math.round(high(counted)) }))
      .filter(({ y }) => y > 0)
      .map(({ x, y }) => `M${x} ${HIGH}v-${y}`)
      .join('');
  const red = ({ made, failed }: AttemptCounts) => (failed ? Math.max(LEAST_RED, (failed / made) * HIGH) : 0);
  return (
    <svg class="strip" width={attempts.length * STEP - 1} height={HIGH} role="img" aria-label={told}>
      <title>{told}</title>
      <path d={bars(({ made }) => (made ? 0 : HIGH))} />
      <path data-tone="good" d={bars(({ made }) => (made ? HIGH : 0))} />
      <path data-tone="bad" d={bars(red)} />
    </svg>
  );
}

/** The strip with the total share, for tables. */
export function StripShare({ of: attempts }: { of: AttemptHistory }): VNode {
  const all = sumOf(attempts);
  return (
    <span class="cluster number">
      <Strip of={attempts} />
      {all.made ? shareOf(all) : <span class="quiet">–</span>}
    </span>
  );
}

/**
 * The strip in words.
 * @param zone time zone; undefined: UTC, which the text then mentions
 */
function toldStrip(attempts: AttemptHistory, zone: string | undefined): string {
  const { made, failed } = sumOf(attempts);
  if (!made) return t('No attempt for events of 24 hours');
  const hours = attempts.filter(({ counted }) => counted.failed).map(({ from }) => from);
  const list = new Intl.ListFormat(WRITTEN[languageNow()].tag);
  const share = shareOf({ made, failed });
  if (!failed)
    return t(
      '{share} of {made, plural, one {# attempt} other {# attempts}} accepted for events of 24 hours',
      {
        share,
        made,
      },
    );
  if (hours.length > MOST_TOLD)
    return t(
      '{share} of {made, plural, one {# attempt} other {# attempts}} accepted for events of 24 hours; failures for events of {count} hours',
      { share, made, count: hours.length },
    );
  const told = list.format(hours.map((from) => inZone(isoTime(from), zone ?? 'UTC', 'hour')));
  return t(
    '{share} of {made, plural, one {# attempt} other {# attempts}} accepted for events of 24 hours; failures for events of {hours}',
    { share, made, hours: zone === undefined ? `${told} UTC` : told },
  );
}
