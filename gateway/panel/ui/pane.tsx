import { type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { LookContext } from './frame/look';
import { Live } from './live';
import { inZone, type Tone } from './parts';

export interface PaneRow {
  key: string;
  href: string;
  /** The open one. */
  isCurrent: boolean;
  /** Its state, if it needs attention. */
  tone?: Tone;
  /** A contact is waiting for a reply. */
  waits?: boolean;
  /** Before it, where rows are people. */
  sign?: VNode;
  title: ComponentChildren;
  /** ISO; null if unknown. */
  at: string | null;
  about: ComponentChildren;
}

interface PaneProps {
  /** The list, and the way back to all of it. */
  list: { href: string; label: string };
  rows: PaneRow[];
  /** Below the way back: the order of the rows, or a search. */
  head?: VNode;
  /** How exact the times are. */
  to?: 'chat' | 'minute';
  /** Shown below the rows. */
  children?: ComponentChildren;
}

/** The list that a page was opened from, beside it if there is room for both. */
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
