import { type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { number } from '../../languages/numbers';
import { LookContext } from '../frame/look';
import { inZone, Zone } from '../parts';
import { t } from '../../languages/t';

export interface Series {
  label: string;
  /** Null where nothing was measured. */
  values: (number | null)[];
  /** Drawn as bad news. */
  isBad?: boolean;
}

export interface ChartProps {
  /** Of this chart on its page. */
  id: string;
  title: string;
  /** What it shows, in a sentence, with what is most worth knowing. */
  summary: ComponentChildren;
  /** When the time of each value began, ISO. */
  times: string[];
  /** How a time is told: the hour within a day, or the day. */
  told: 'hour' | 'day';
  /** Of bars, the second is a part of the first. */
  series: [Series, Series?];
  kind: 'bars' | 'curve';
  /** Where what happened in that time is listed. */
  hrefOf?(index: number): string;
  /** A value as people read it. */
  say?(value: number): string;
}

const WIDTH = 960;
const HEIGHT = 220;
const LEFT = 56;
const RIGHT = 8;
const TOP = 14;
const BOTTOM = 26;
const HIGH = HEIGHT - TOP - BOTTOM;
const WIDE = WIDTH - LEFT - RIGHT;
/** Times that are written beneath. */
const MARKS = 5;

/** The next round number from there on: 1, 2, 5, 10, 20, 50 … */
function roundAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? 10 * power;
}

/** "12k", beside the axis. */
function brief(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 10_000 ? `${value / 1_000}k` : number(value);
}

/**
 * A chart as a picture of the server's making: it needs no script. A bar leads to what it counts. Its title and summary are
 * read out, and a table beneath it has every value.
 */
// eslint-disable-next-line max-lines-per-function -- one picture, from its frame to its table
export function Chart(props: ChartProps): VNode {
  const { id, title, summary, times, told, series, kind, hrefOf, say } = props;
  const all = series.filter((one) => one !== undefined);
  const top = roundAbove(Math.max(1, ...all.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const step = WIDE / times.length;
  const x = (index: number) => LEFT + (index + 0.5) * step;
  const y = (value: number) => TOP + HIGH - (value / top) * HIGH;
  const written = say ?? number;
  const { zone } = useContext(LookContext);
  const hourOf = (time: string) => (zone === undefined ? time.slice(11, 16) : inZone(time, zone, 'hour'));
  const every = Math.ceil(times.length / MARKS);
  return (
    <figure class="stack close">
      <svg
        class="chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="group"
        aria-labelledby={`${id}-title ${id}-summary`}
      >
        <title id={`${id}-title`}>{title}</title>
        {[0, top / 2, top].map((value) => (
          <g key={value}>
            <line class="grid-line" x1={LEFT} x2={WIDTH - RIGHT} y1={y(value)} y2={y(value)} />
            {(value === 0 || value === top || Number.isInteger(value)) && (
              <text x={LEFT - 8} y={y(value) + 4} text-anchor="end">
                {say ? say(value) : brief(value)}
              </text>
            )}
          </g>
        ))}
        {times.map(
          (time, index) =>
            index % every === 0 && (
              <text
                key={time}
                class={index % (2 * every) ? 'between' : undefined}
                x={round(x(index))}
                y={HEIGHT - 6}
                text-anchor="middle"
                data-local={told}
                data-at={time}
              >
                {told === 'hour' ? hourOf(time) : time.slice(0, 10)}
              </text>
            ),
        )}
        {kind === 'curve' &&
          all.map((one, index) => (
            <path key={one.label} class={index ? 'curve second' : 'curve'} d={pathOf(one.values, x, y)} />
          ))}
        {times.map((time, index) => {
          const values = all.map((one) => one.values[index] ?? null);
          const drawn = (
            <>
              <rect class="hit" x={round(x(index) - step / 2)} width={round(step)} y={TOP} height={HIGH} />
              {kind === 'bars' &&
                values.map((value, place) =>
                  value ? (
                    <rect
                      key={place}
                      class={all[place]?.isBad ? 'bar bad' : 'bar'}
                      x={round(x(index) - step * 0.36)}
                      width={round(step * 0.72)}
                      y={round(Math.min(y(value), y(0) - 2))}
                      height={round(Math.max(2, y(0) - y(value)))}
                      rx="2"
                    />
                  ) : null,
                )}
            </>
          );
          if (!hrefOf || !values.some(Boolean)) return <g key={time}>{drawn}</g>;
          const said = all.map(({ label }, place) => `${written(values[place] ?? 0)} ${label.toLowerCase()}`);
          return (
            <a key={time} href={hrefOf(index)} aria-label={`${time.slice(0, 16)} UTC: ${said.join(', ')}`}>
              {drawn}
            </a>
          );
        })}
      </svg>
      {all.length > 1 && (
        <div class="key small quiet">
          {all.map(({ label, isBad }, index) => (
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
                <th scope="col">{t.rich('From ({zone})', { zone: <Zone /> })}</th>
                {all.map(({ label }) => (
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
                    <time dateTime={time} data-local={told === 'hour' ? 'hour' : 'minute'}>
                      {told === 'hour' ? hourOf(time) : time.slice(0, 16)}
                    </time>
                  </th>
                  {all.map(({ label, values }) => {
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

/** The same in a word's height, beside a figure that says how much it is in all. */
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

/** A line through what was measured, broken where nothing was; a single value is a short stroke. */
function pathOf(
  values: (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      const isFirst = (values[index - 1] ?? null) === null;
      const isAlone = isFirst && (values[index + 1] ?? null) === null;
      const at = `${round(x(index))} ${round(y(value))}`;
      return isAlone ? `M${round(x(index) - 5)} ${round(y(value))}h10` : `${isFirst ? 'M' : 'L'}${at}`;
    })
    .join('');
}
