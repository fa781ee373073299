import { type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { number } from '../../languages/numbers';
import { LookContext } from '../frame/look';
import { dateWord, inZone, Zone } from '../parts';
import { t } from '../../languages/t';

export interface Series {
  label: string;
  /** Null: nothing was measured. */
  values: (number | null)[];
  /** Whether to draw the series in red. */
  isBad?: boolean;
}

export interface ChartProps {
  /** The id of the chart, unique on the page. */
  id: string;
  title: string;
  /** The most important facts, as a sentence. */
  summary: ComponentChildren;
  /** Start of each value's time span, as ISO time; for `date`, a day or month, such as `2026-03-31` or `2026-03`. */
  times: string[];
  /** The labels of times: the hour within a day, the day, or a date that is the same in each time zone. */
  told: 'hour' | 'day' | 'date';
  /** For bars, the second series is part of the first. */
  series: [Series, Series?];
  /** The label for the first series minus the second, which texts and the table show. */
  rest?: string;
  kind: 'bars' | 'curve';
  /** A link to the list of this time span. */
  hrefOf?(index: number): string;
  /** Formats a value. */
  say?(value: number): string;
}

/** Units of a drawing, before it is stretched: the width of a time span, and the full height. */
const STEP = 10;
const HIGH = 100;
/** Most labels below the chart. */
const MARKS = 5;

/** Possible ends of the scale, times a power of ten. Half of most of them is round too. */
const ENDS = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10];

/** The smallest round number not below the value: 2, 8, 12, 160, 2400 … */
function roundAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  const ends = ENDS.map((end) => Math.round(end * power * 10) / 10).filter(Number.isInteger);
  return ends.find((end) => end >= value) ?? 10 * power;
}

/** Labels of the axis, such as "12k". */
function brief(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 10_000 ? `${value / 1_000}k` : number(value);
}

/**
 * A chart rendered by the server, without script. Each time is a column, which shows its values under the
 * pointer and links to what it counts. Screen readers get its title and summary, and a table below has every
 * value.
 */
// eslint-disable-next-line max-lines-per-function -- one picture, from its frame to its table
export function Chart(props: ChartProps): VNode {
  const { id, title, summary, times, told: span, series, kind, hrefOf, say } = props;
  const all = series.filter((one) => one !== undefined);
  const told = toldSeries(props);
  const top = roundAbove(Math.max(1, ...all.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const y = (value: number) => HIGH - (value / top) * HIGH;
  const written = say ?? number;
  const { zone } = useContext(LookContext);
  const hourOf = (time: string) => (zone === undefined ? time.slice(11, 16) : inZone(time, zone, 'hour'));
  const Moment = ({ at }: { at: string }) => {
    if (span === 'date') return <time dateTime={at}>{dateWord(at)}</time>;
    return (
      <time dateTime={at} data-local={span === 'hour' ? 'hour' : 'minute'}>
        {span === 'hour' ? hourOf(at) : at.slice(0, 16)}
      </time>
    );
  };
  const mark = { hour: hourOf, day: (time: string) => time.slice(0, 10), date: shortDate }[span];
  const marked = markedTimes(times, span);
  return (
    <figure class="stack close">
      <div class="chart">
        <div class="chart-scale" aria-hidden="true">
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{say ? say(value) : Number.isInteger(value) && brief(value)}</span>
          ))}
        </div>
        <div class="chart-columns" role="group" aria-labelledby={`${id}-title ${id}-summary`}>
          <span class="sr-only" id={`${id}-title`}>
            {title}
          </span>
          {kind === 'curve' && (
            <Drawing class="curves" width={times.length * STEP}>
              {all.map((one, index) => (
                <path key={one.label} class={index ? 'curve second' : 'curve'} d={pathOf(one.values, y)} />
              ))}
            </Drawing>
          )}
          {times.map((time, index) => {
            const values = all.map((one) => one.values[index] ?? null);
            const said = told.map((one) => `${written(one.values[index] ?? 0)} ${one.label.toLowerCase()}`);
            const drawn = (
              <>
                {kind === 'bars' && (
                  <Drawing width={STEP}>
                    {values.map((value, place) =>
                      value ? (
                        <rect
                          key={place}
                          class={all[place]?.isBad ? 'bar bad' : 'bar'}
                          x={STEP * 0.14}
                          width={STEP * 0.72}
                          y={round(Math.min(y(value), HIGH - 1))}
                          height={round(Math.max(1, HIGH - y(value)))}
                        />
                      ) : null,
                    )}
                  </Drawing>
                )}
                <span class="chart-value" aria-hidden="true">
                  <Moment at={time} />
                  {said.map((one) => (
                    <span key={one}>{one}</span>
                  ))}
                </span>
              </>
            );
            return hrefOf && values.some(Boolean) ? (
              <a
                key={time}
                class="chart-column"
                href={hrefOf(index)}
                aria-label={`${span === 'date' ? dateWord(time) : `${time.slice(0, 16)} UTC`}: ${said.join(', ')}`}
              >
                {drawn}
              </a>
            ) : (
              <div key={time} class="chart-column">
                {drawn}
              </div>
            );
          })}
        </div>
        <div class="chart-times" aria-hidden="true">
          {times.map((time, index) => (
            <span key={time}>
              {marked.includes(index) && (
                <time
                  class={marked.indexOf(index) % 2 ? 'between' : undefined}
                  dateTime={time}
                  data-local={span === 'date' ? undefined : span}
                >
                  {mark(time)}
                </time>
              )}
            </span>
          ))}
        </div>
      </div>
      {all.length > 1 && (
        <div class={`key ${kind} small quiet`}>
          {told.map(({ label, isBad }, index) => (
            <span key={label} class={index ? 'second' : 'first'} data-bad={isBad ? '' : undefined}>
              <i />
              {label}
            </span>
          ))}
        </div>
      )}
      <figcaption class="small quiet" id={`${id}-summary`}>
        {summary}
      </figcaption>
      <details class="more">
        <summary>
          {t('As a table')}
          <span class="sr-only">: {title}</span>
        </summary>
        <div class="scrolls" tabIndex={0} role="region" aria-label={t('{title}, as a table', { title })}>
          <table class="chart-table">
            <thead>
              <tr>
                <th scope="col">
                  {span === 'date' ? t('From') : t.rich('From ({zone})', { zone: <Zone /> })}
                </th>
                {told.map(({ label }) => (
                  <th key={label} scope="col">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((time, index) => (
                <tr key={time}>
                  <th scope="row">
                    <Moment at={time} />
                  </th>
                  {told.map(({ label, values }) => {
                    const value = values[index] ?? null;
                    return <td key={label}>{value === null ? '–' : written(value)}</td>;
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

const shortDate = (date: string): string =>
  inZone(date, 'UTC', date.length === 7 ? 'shortMonth' : 'shortDay');

/** The series as texts and the table show them. */
function toldSeries({ series: [first, second], rest }: ChartProps): Series[] {
  if (!second) return [first];
  if (rest === undefined) return [first, second];
  const values = first.values.map((value, index) => value && value - (second.values[index] ?? 0));
  return [{ label: rest, values }, second];
}

/** The labeled times: starts of days if there are several, otherwise every n-th. */
function markedTimes(times: string[], told: ChartProps['told']): number[] {
  const all = [...times.keys()];
  const days = all.filter((index) => times[index]?.includes('T00:00'));
  if (told === 'day' && days.length < times.length) return days;
  const every = Math.ceil(times.length / MARKS);
  return all.filter((index) => index % every === 0);
}

/** A small chart without scale, beside a total. */
export function Sparkline({ values }: { values: (number | null)[] }): VNode | null {
  const top = Math.max(...values.map((value) => value ?? 0));
  if (!top) return null;
  const at = (value: number, index: number) =>
    `${round((index * 100) / (values.length - 1))} ${round(22 - (value / top) * 20)}`;
  return (
    <svg class="spark" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      <path d={`M${values.map((value, index) => at(value ?? 0, index)).join('L')}`} />
    </svg>
  );
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** Stretched to the available space. */
const Drawing = ({
  width,
  ...more
}: {
  width: number;
  class?: string;
  children: ComponentChildren;
}): VNode => <svg viewBox={`0 0 ${width} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true" {...more} />;

/** A line through the measured values, with gaps. A single value is a short stroke. */
function pathOf(values: (number | null)[], y: (value: number) => number): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      const isFirst = (values[index - 1] ?? null) === null;
      const isAlone = isFirst && (values[index + 1] ?? null) === null;
      const x = (index + 0.5) * STEP;
      if (isAlone) return `M${x - STEP / 4} ${round(y(value))}h${STEP / 2}`;
      return `${isFirst ? 'M' : 'L'}${x} ${round(y(value))}`;
    })
    .join('');
}
