import { type ComponentChildren, type VNode } from 'preact';
import { Zone } from './parts';

export interface Series {
  label: string;
  /** Null where nothing was measured. */
  values: (number | null)[];
}

interface ChartProps {
  /** Of this chart on its page. */
  id: string;
  title: string;
  /** What it shows, in a sentence, with what is most worth knowing. */
  summary: ComponentChildren;
  /** When the hour of each value began, ISO. */
  times: string[];
  series: [Series, Series?];
  kind: 'bars' | 'curve';
  /** Bars that are bad news. */
  isBad?: boolean;
  /** A value as people read it. */
  say?(value: number): string;
}

const WIDTH = 480;
const HEIGHT = 180;
const LEFT = 66;
const RIGHT = 8;
const TOP = 14;
const BOTTOM = 26;
const HIGH = HEIGHT - TOP - BOTTOM;
const WIDE = WIDTH - LEFT - RIGHT;

/** The next round number from there on: 1, 2, 5, 10, 20, 50 … */
function roundAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? 10 * power;
}

/** "1,200", and "12k" beside the axis. */
const plain = (value: number): string => value.toLocaleString('en');
function brief(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 10_000 ? `${value / 1_000}k` : plain(value);
}

/**
 * A chart as a picture of the server's making: it needs no script. Its title and summary are read out, and a table
 * beneath it has every value.
 */
// eslint-disable-next-line max-lines-per-function -- one picture, from its frame to its table
export function Chart({ id, title, summary, times, series, kind, isBad, say }: ChartProps): VNode {
  const all = series.filter((one) => one !== undefined);
  const top = roundAbove(Math.max(1, ...all.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const x = (index: number) => LEFT + ((index + 0.5) * WIDE) / times.length;
  const y = (value: number) => TOP + HIGH - (value / top) * HIGH;
  const written = say ?? plain;
  return (
    <figure class="stack close">
      <svg
        class="chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-labelledby={`${id}-title ${id}-summary`}
      >
        <title id={`${id}-title`}>{title}</title>
        {[0, top / 2, top].map((value) => (
          <g key={value}>
            <line class="grid-line" x1={LEFT} x2={WIDTH - RIGHT} y1={y(value)} y2={y(value)} />
            {(value === 0 || value === top || Number.isInteger(value)) && (
              <text x={LEFT - 6} y={y(value) + 4} text-anchor="end">
                {say ? say(value) : brief(value)}
              </text>
            )}
          </g>
        ))}
        {times.map(
          (time, index) =>
            index % 6 === 0 && (
              <text
                key={time}
                x={x(index)}
                y={HEIGHT - 6}
                text-anchor="middle"
                data-local="hour"
                data-at={time}
              >
                {hourOf(time)}
              </text>
            ),
        )}
        {kind === 'bars'
          ? series[0].values.map((value, index) =>
              value ? (
                <rect
                  key={index}
                  class={isBad ? 'bar bad' : 'bar'}
                  x={round(x(index) - (WIDE / times.length) * 0.36)}
                  width={round((WIDE / times.length) * 0.72)}
                  y={round(Math.min(y(value), y(0) - 2))}
                  height={round(Math.max(2, y(0) - y(value)))}
                  rx="2"
                />
              ) : null,
            )
          : all.map((one, index) => (
              <path key={one.label} class={index ? 'curve second' : 'curve'} d={pathOf(one.values, x, y)} />
            ))}
      </svg>
      {all.length > 1 && (
        <div class="key small quiet">
          {all.map(({ label }, index) => (
            <span key={label} class={index ? 'second' : 'first'}>
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
          As a table<span class="sr-only">: {title}</span>
        </summary>
        <div class="scrolls" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
          <table class="chart-table">
            <thead>
              <tr>
                <th scope="col">
                  Hour (<Zone />)
                </th>
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
                    <time dateTime={time} data-local="hour">
                      {hourOf(time)}
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

/** Of an ISO time, in UTC: the script makes the reader's own hour of it. */
const hourOf = (time: string): string => time.slice(11, 16);

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
