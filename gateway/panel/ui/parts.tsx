import { Fragment, type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { LruCache } from '../../primitives/lru-cache';
import { Breakable } from '../languages/breakable';
import { languageNow, WRITTEN } from '../../wording/language';
import { LookContext } from './frame/look';
import { t } from '../languages/t';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'idle';

/** A state in a word, because color alone must not carry it. */
export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }): VNode {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}

/** A label that is not a state. */
export const Label = ({ children }: { children: ComponentChildren }): VNode => (
  <span class="badge label" data-tone="info">
    {children}
  </span>
);

/**
 * Joins parts with " · ". Each part is isolated, so that a right-to-left name doesn't reorder its neighbors.
 */
export const joined = (...parts: (string | null | undefined | false)[]): VNode => (
  <>
    {parts
      .filter((part) => typeof part === 'string' && part !== '')
      .map((part, index) => (
        <Fragment key={index}>
          {index > 0 && ' · '}
          <bdi>{part}</bdi>
        </Fragment>
      ))}
  </>
);

interface PageHeadProps {
  title: string;
  /** The title of the browser tab, if it differs. */
  tab?: string;
  /** The link to the parent page. */
  back?: { href: string; label: string };
  /** An avatar before the title, for a person. */
  sign?: VNode;
  /** The purpose of the page, as a sentence. */
  children?: ComponentChildren;
  actions?: ComponentChildren;
}

/** Whether the text contains a right-to-left script, such as Hebrew or Arabic. */
const isFromRight = (text: string): boolean => /[\u0590-\u08ff\ufb1d-\ufefc]/.test(text);

export function PageHead({ title, back, sign, children, actions }: PageHeadProps): VNode {
  return (
    <header class="page-head">
      <div>
        {back && (
          <a class="back" href={back.href}>
            ← {back.label}
          </a>
        )}
        {sign}
        <h1>{isFromRight(title) ? <bdi>{title}</bdi> : <Breakable>{title}</Breakable>}</h1>
        {children && <p class="lead">{children}</p>}
      </div>
      {actions && <div class="actions">{actions}</div>}
    </header>
  );
}

interface CardProps {
  /** The anchor of the card. */
  id?: string;
  title?: ComponentChildren;
  /** Shown beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
  /** Without padding, for tables. */
  flush?: boolean;
}

export function Card({ id, title, actions, children, flush }: CardProps): VNode {
  return (
    <section id={id} class={flush ? 'card flush' : 'card'}>
      {(title || actions) && (
        <div class="card-head">
          {title && <h2>{title}</h2>}
          {actions && <div class="actions">{actions}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

/** An empty list: what belongs here, and how to start. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <div class="empty-text">{children}</div>
    </div>
  );
}

/** Shown if the search covered only the latest entries, so that older ones may match. */
export const NothingAmongLatest = ({ children }: { children?: ComponentChildren }): VNode => (
  <Empty title={t('Nothing among the latest ones')}>
    <p>{t('Continue to search older ones.')}</p>
    {children}
  </Empty>
);

export function Notice({ tone, children }: { tone: Tone; children: ComponentChildren }): VNode {
  return (
    <div class="notice" data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

export interface Column<Row> {
  /** The column's heading; on a phone, shown beside each value. */
  label: string;
  cell(row: Row): ComponentChildren;
  /** Whether the cell names the row, as its heading. */
  heading?: boolean;
  /** Whether the column has buttons, so that only screen readers get the label. */
  actions?: boolean;
}

interface TableProps<Row> {
  /** The caption, for screen readers. */
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey(row: Row): string | number;
  /** The group of each row, in a table whose rows are sorted by group. */
  groupOf?: ((row: Row) => { key: string | number; title: string }) | undefined;
  /**
   * The layout of a long list on a phone. Default: the columns share a line. `bare`: no labels, and the
   * second column on its own line. `labelled`: labels, but no actions and no `Nothing`; the second
   * column has its label only with `figures`. `inline`: labels only
   * after the fourth column, and actions beside the heading.
   */
  brief?: 'labelled' | 'labelled figures' | 'bare' | 'inline';
}

/** A table that becomes a list of cards on a phone. */
export function Table<Row>({ caption, columns, rows, rowKey, groupOf, brief }: TableProps<Row>): VNode {
  const groups = groupOf ? [...Map.groupBy(rows, (row) => groupOf(row).key).values()] : [rows];
  return (
    <div class="table-frame">
      <table class={brief ? `table brief ${brief}` : 'table'}>
        <caption class="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ label, actions }) => (
              <th key={label} scope="col">
                {actions ? <span class="sr-only">{label}</span> : label}
              </th>
            ))}
          </tr>
        </thead>
        {groups.map((inGroup) => {
          const group = inGroup[0] && groupOf?.(inGroup[0]);
          return (
            <tbody key={group?.key}>
              {group && (
                <tr class="group">
                  <th scope="rowgroup" colSpan={columns.length}>
                    {group.title}
                  </th>
                </tr>
              )}
              {inGroup.map((row) => (
                <tr key={rowKey(row)}>
                  {columns.map((column) => (
                    <Cell key={column.label} column={column} row={row} />
                  ))}
                </tr>
              ))}
            </tbody>
          );
        })}
      </table>
    </div>
  );
}

/** A placeholder in an empty cell. */
export const Nothing = ({ children }: { children: ComponentChildren }): VNode => (
  <span class="quiet nothing">{children}</span>
);

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }): VNode {
  const content = <div>{column.cell(row)}</div>;
  if (column.heading)
    return (
      <th scope="row" class="heading">
        {content}
      </th>
    );
  if (column.actions) return <td class="row-actions">{content}</td>;
  return <td data-label={column.label}>{content}</td>;
}

/** A list of names and values. */
export function Facts({
  facts,
  columns,
}: {
  facts: [string, ComponentChildren][];
  /** Columns, if there is room. `many` puts each value below its name. */
  columns?: 2 | 'many' | undefined;
}): VNode {
  return (
    <dl class={columns ? `facts ${columns === 2 ? 'two' : 'tiles'}` : 'facts'}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface CopyProps {
  id: string;
  text: string;
  label: string;
  /** The shown text, if it differs from the copied text. */
  children?: ComponentChildren;
}

/** A text with a copy button. Without script, the text can be selected. */
export function Copy({ id, text, label, children }: CopyProps): VNode {
  return (
    <div class={children !== undefined || text.includes('\n') ? 'copy tall' : 'copy'}>
      <pre tabIndex={0} role="region" aria-label={label}>
        {children === undefined ? <code id={id}>{text}</code> : <code>{children}</code>}
      </pre>
      {children !== undefined && (
        <code id={id} hidden>
          {text}
        </code>
      )}
      <CopyButton of={id} label={label} tone="plain" />
    </div>
  );
}

interface CopyButtonProps {
  /** The id of the element with the text. */
  of: string;
  label: string;
  tone?: 'plain' | 'quiet';
}

/** Visible only with script. */
export const CopyButton = ({ of, label, tone = 'quiet' }: CopyButtonProps): VNode => (
  <button type="button" class={`button ${tone} small`} data-copy={of} hidden>
    {t('Copy')}
    <span class="sr-only"> {label}</span>
  </button>
);

/** An id with a copy button. @param id of the element */
export const Id = ({ id, text, label }: Pick<CopyProps, 'id' | 'text' | 'label'>): VNode => (
  <>
    <code id={id}>{text}</code> <CopyButton of={id} label={label} />
  </>
);

interface ShownOnceProps {
  id: string;
  text: string;
  label: string;
  /** Who should receive the secret; omitted: the reader. */
  for?: string;
}

/** A secret that is shown only once. */
export function ShownOnce({ id, text, label, for: receiver }: ShownOnceProps): VNode {
  return (
    <div class="notice" data-tone="warn">
      <p>
        <strong>{t('{label} is shown only once.', { label })}</strong>{' '}
        {receiver === undefined
          ? t('Copy it and keep it with your passwords. It is not shown again.')
          : t('Copy it and give it to {receiver}. It is not shown again.', { receiver })}
      </p>
      <Copy id={id} text={text} label={label} />
    </div>
  );
}

interface TimeProps {
  /** ISO time; null: never. */
  at: string | null;
  never?: string;
  /** The precision; lists have little room. */
  to?: 'second' | 'minute';
}

/** A time in the chosen zone or UTC; with script, in the reader's zone. */
export function Time({ at, never = t('never'), to = 'second' }: TimeProps): VNode {
  const { zone } = useContext(LookContext);
  if (at === null) return <span class="quiet">{never}</span>;
  return (
    <time dateTime={at} data-local={to}>
      {told(at, zone, to)}
    </time>
  );
}

/** Formats by language, zone and precision. */
const timeFormats = new LruCache<Intl.DateTimeFormat>(100);

const PRECISIONS = {
  second: { dateStyle: 'medium', timeStyle: 'medium' },
  minute: { dateStyle: 'medium', timeStyle: 'short' },
  hour: { timeStyle: 'short' },
  clock: { timeStyle: 'medium' },
  day: { dateStyle: 'medium' },
  month: { month: 'long', year: 'numeric' },
  // For charts, whose labels have little room.
  shortDay: { day: 'numeric', month: 'short' },
  shortMonth: { month: 'short' },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Formats a time in a zone, in the language of the page. */
export function inZone(at: string, timeZone: string, to: keyof typeof PRECISIONS): string {
  const { dates } = WRITTEN[languageNow()];
  const key = `${dates} ${timeZone} ${to}`;
  const format = timeFormats.get(key) ?? new Intl.DateTimeFormat(dates, { timeZone, ...PRECISIONS[to] });
  timeFormats.set(key, format);
  return format.format(new Date(at));
}

/** A day (`2026-03-31`) or a month (`2026-03`), in the language of the page. */
export const dateWord = (date: string): string => inZone(date, 'UTC', date.length === 7 ? 'month' : 'day');

/** A time in the chosen zone, or in UTC with "UTC" after it. */
const told = (at: string, zone: string | undefined, to: 'second' | 'minute' | 'hour' | 'clock'): string =>
  zone === undefined ? `${inZone(at, 'UTC', to)} UTC` : inZone(at, zone, to);

/**
 * The time left, as "in 2 min 40 s", counted down by the script; "any moment now" once it is over. Without
 * script, the time itself.
 */
export function Left({ at, now }: { at: string; now: number }): VNode {
  const { zone } = useContext(LookContext);
  return (
    <time dateTime={at} data-left="in">
      {Date.parse(at) <= now ? t('any moment now') : t('at {time}', { time: told(at, zone, 'second') })}
    </time>
  );
}

/** The time passed, as "12 s ago". Without script, the time itself. */
export function Ago({ at }: { at: string }): VNode {
  const { zone } = useContext(LookContext);
  return (
    <time dateTime={at} data-left="ago">
      {told(at, zone, 'second')}
    </time>
  );
}

/** A time without its date, with seconds for `clock`. With script, in the reader's zone. */
export function Hour({ at, to = 'hour' }: { at: string; to?: 'hour' | 'clock' }): VNode {
  const { zone } = useContext(LookContext);
  return (
    <time dateTime={at} data-local={to}>
      {told(at, zone, to)}
    </time>
  );
}

/** The time zone of the page, shown once if its times have no zone. */
export const Zone = (): VNode => <span data-zone="">{useContext(LookContext).zone ?? 'UTC'}</span>;

interface PagerProps {
  first: string | null;
  next: string | null;
  /** False if the list has another order. */
  isNewestFirst?: boolean;
}

/**
 * Links to the first and the next page. Lists are read from a cursor, so that late pages are as fast as the
 * first.
 */
export function Pager({ first, next, isNewestFirst = true }: PagerProps): VNode | null {
  if (!first && !next) return null;
  return (
    <nav class="pager" aria-label={t('Pages')}>
      {first ? (
        <a class="button plain" href={first}>
          {isNewestFirst ? t('Newest') : t('First page')}
        </a>
      ) : (
        <span />
      )}
      {next && (
        <a class="button plain" href={next} rel="next">
          {isNewestFirst ? t('Older') : t('Next')}
        </a>
      )}
    </nav>
  );
}
