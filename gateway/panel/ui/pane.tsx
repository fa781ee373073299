import { type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { LookContext } from './frame/look';
import { Live } from './live';
import { inZone, type Tone } from './parts';

export interface PaneRow {
  key: string;
  href: string;
  /** The one that is looked at. */
  isCurrent: boolean;
  /** How it stands, where that is not as it should be. */
  tone?: Tone;
  /** Somebody waits for a reply there. */
  waits?: boolean;
  /** Before it, where rows are people. */
  sign?: VNode;
  title: ComponentChildren;
  /** ISO; null where that is not known. */
  at: string | null;
  about: ComponentChildren;
}

interface PaneProps {
  /** The list, and the way back to all of it. */
  list: { href: string; label: string };
  rows: PaneRow[];
  /** Beneath the way back: how rows are ordered, or where one is looked for among all. */
  head?: VNode;
  /** How exact the times are. */
  to?: 'chat' | 'minute';
  /** What stands beneath the rows. */
  children?: ComponentChildren;
}

/** Beside a page of one thing, where there is room for both: the list that it was opened from. */
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
