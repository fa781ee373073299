import { type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { LookContext } from './frame/look';
import { Live } from './live';
import { inZone, type Tone } from './parts';

export interface PaneRow {
  key: string;
  href: string;
  /** Whether the row is open beside the list. */
  isCurrent: boolean;
  /** The tone of a state that needs attention. */
  tone?: Tone;
  /** Whether the contact waits for a reply. */
  waits?: boolean;
  /** An avatar, for rows of people. */
  sign?: VNode;
  title: ComponentChildren;
  /** ISO time; null if unknown. */
  at: string | null;
  about: ComponentChildren;
}

interface PaneProps {
  /** The link back to the whole list. */
  list: { href: string; label: string };
  rows: PaneRow[];
  /** Shown below the link: the order of the rows, or a search. */
  head?: VNode;
  /** The precision of times. */
  to?: 'chat' | 'minute';
  /** Shown below the rows. */
  children?: ComponentChildren;
}

/** The list from which a page was opened, shown beside the page if there is room. */
export function Pane({ list, rows, head, to = 'chat', children }: PaneProps): VNode {
  const { zone = 'UTC' } = useContext(LookContext);
  return (
    <nav class="pane" aria-label={list.label}>
      <div class="pane-head">
        <a href={list.href}>← {list.label}</a>
        {head}
      </div>
      <Live id="pane">
        <ul class="pane-rows">
          {rows.map(({ key, href, isCurrent, tone, waits, sign, title, at, about }) => (
            <li key={key} data-tone={tone} data-waits={waits ? '' : undefined}>
              {sign}
              <a href={href} aria-current={isCurrent ? 'page' : undefined}>
                <span dir="auto">{title}</span>
                {at !== null && (
                  <time dateTime={at} data-local={to}>
                    {inZone(at, zone, 'minute')}
                  </time>
                )}
                <span>{about}</span>
              </a>
            </li>
          ))}
        </ul>
        {children}
      </Live>
    </nav>
  );
}
