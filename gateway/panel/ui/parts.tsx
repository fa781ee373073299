import { Fragment, type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { LruCache } from '../../primitives/lru-cache';
import { Breakable } from '../languages/breakable';
import { languageNow, WRITTEN } from '../../wording/language';
import { LookContext } from './frame/look';
import { t } from '../languages/t';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'idle';

/** A state in a word. The color is never the only sign of it. */
export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }): VNode {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}

/** What something is called for, which is no state of it. */
export const Label = ({ children }: { children: ComponentChildren }): VNode => (
  <span class="badge label" data-tone="info">
    {children}
  </span>
);

/** Side by side, each in its own direction: a name that is written from the right turns nothing beside it round. */
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
  /** The title in the browser's tab, if it differs. */
  tab?: string;
  /** The parent page, with the way back. */
  back?: { href: string; label: string };
  /** An avatar before it, for a person. */
  sign?: VNode;
  /** What this page is for, in a sentence. */
  children?: ComponentChildren;
  actions?: ComponentChildren;
}

/** Whether it contains Hebrew, Arabic or another script that is written from right to left. */
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
  /** To lead there. */
  id?: string;
  title?: ComponentChildren;
  /** Beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
  /** Without padding: for a table. */
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

/** An empty page: what belongs here, and how to start. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <div class="empty-text">{children}</div>
    </div>
  );
}

/** If only the latest of many were searched, and earlier ones may match. */
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
  /** Above it; beside each value on a phone. */
  label: string;
  cell(row: Row): ComponentChildren;
  /** The row's name: its heading on a phone. */
  heading?: boolean;
  /** Buttons: the label is for screen readers only. */
  actions?: boolean;
}

interface TableProps<Row> {
  /** The caption of the list, for screen readers. */
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey(row: Row): string | number;
  /**
   * How a long list looks on a phone. Default: the columns share a line. `bare`: no labels, and the second
   * column on its own line. `labelled`: without actions and `Nothing`. `inline`: labels only after the fourth
   * column, and actions beside the heading.
   */
  brief?: 'labelled' | 'bare' | 'inline';
}

/** A table that becomes a list of cards on a phone. */
export function Table<Row>({ caption, columns, rows, rowKey, brief }: TableProps<Row>): VNode {
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
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <Cell key={column.label} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** In a table: an empty cell. */
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

/** Names and values below each other. */
export function Facts({
  facts,
  columns,
}: {
  facts: [string, ComponentChildren][];
  /** Side by side if there is room; with many, each value is below its name. */
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
  /** The shown text, if it differs from the copied one. */
  children?: ComponentChildren;
}

/** A text to copy: the button needs script, the text can be marked without it. */
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
  /** The id of the element whose text it copies. */
  of: string;
  label: string;
  tone?: 'plain' | 'quiet';
}

/** Shown only with script. */
export const CopyButton = ({ of, label, tone = 'quiet' }: CopyButtonProps): VNode => (
  <button type="button" class={`button ${tone} small`} data-copy={of} hidden>
    {t('Copy')}
    <span class="sr-only"> {label}</span>
  </button>
);

/** An id, to copy. @param id of the element */
export const Id = ({ id, text, label }: Pick<CopyProps, 'id' | 'text' | 'label'>): VNode => (
  <>
    <code id={id}>{text}</code> <CopyButton of={id} label={label} />
  </>
);

interface ShownOnceProps {
  id: string;
  text: string;
  label: string;
  /** Who is to receive it; if omitted, the reader keeps it. */
  for?: string;
}

/** A secret that is shown this once. */
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
  /** ISO; null: never. */
  at: string | null;
  never?: string;
  /** How exact it is: lists have little room. */
  to?: 'second' | 'minute';
}

/** A time, in the chosen zone or UTC, and with script in the reader's own time. */
export function Time({ at, never = t('never'), to = 'second' }: TimeProps): VNode {
  const { zone } = useContext(LookContext);
  if (at === null) return <span class="quiet">{never}</span>;
  return (
    <time dateTime={at} data-local={to}>
      {told(at, zone, to)}
    </time>
  );
}

/** Made for each language, zone and form that pages ask for. */
const timeFormats = new LruCache<Intl.DateTimeFormat>(100);

/** As a browser there writes it. */
export function inZone(
  at: string,
  timeZone: string,
  to: 'second' | 'minute' | 'hour' | 'clock' | 'day',
): string {
  const { dates } = WRITTEN[languageNow()];
  const key = `${dates} ${timeZone} ${to}`;
  const format =
    timeFormats.get(key) ??
    new Intl.DateTimeFormat(dates, {
      timeZone,
      ...(to !== 'hour' && to !== 'clock' && { dateStyle: 'medium' }),
      ...(to !== 'day' && { timeStyle: to === 'second' || to === 'clock' ? 'medium' : 'short' }),
    });
  timeFormats.set(key, format);
  return format.format(new Date(at));
}

/** In the chosen zone, or in UTC with the word UTC. */
const told = (at: string, zone: string | undefined, to: 'second' | 'minute' | 'hour' | 'clock'): string =>
  zone === undefined ? `${inZone(at, 'UTC', to)} UTC` : inZone(at, zone, to);

/**
 * How long it is until then, as "in 2 min 40 s": counted down by script, without which it is the time itself. Once it
 * has come, "any moment now".
 */
export function Left({ at, now }: { at: string; now: number }): VNode {
  const { zone } = useContext(LookContext);
  return (
    <time dateTime={at} data-left="in">
      {Date.parse(at) <= now ? t('any moment now') : t('at {time}', { time: told(at, zone, 'second') })}
    </time>
  );
}

/** How long ago it was, as "12 s ago"; the time itself without script. */
export function Ago({ at }: { at: string }): VNode {
  const { zone } = useContext(LookContext);
  return (
    <time dateTime={at} data-left="ago">
      {told(at, zone, 'second')}
    </time>
  );
}

/**
 * Only hour and minute, and the second if asked for, without the date; with script in the reader's own time.
 */
export function Hour({ at, to = 'hour' }: { at: string; to?: 'hour' | 'clock' }): VNode {
  const { zone } = useContext(LookContext);
  return (
    <time dateTime={at} data-local={to}>
      {told(at, zone, to)}
    </time>
  );
}

/** The time zone of a page's times, shown once if times have no zone. */
export const Zone = (): VNode => <span data-zone="">{useContext(LookContext).zone ?? 'UTC'}</span>;

interface PagerProps {
  first: string | null;
  next: string | null;
  /** False of a list in another order. */
  isNewestFirst?: boolean;
}

/** Links to the first page and the next: lists are read from a place onwards, so that the last page is as fast as the first. */
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
