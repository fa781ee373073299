import { type ComponentChildren, type VNode } from 'preact';
import { upToMost } from '../../languages/numbers';
import { t } from '../../languages/t';
import { Submit } from '../form';
import { MomentField } from './moment-field';

interface LogFilterProps {
  /** The list that it filters. */
  action: string;
  /** Before it: what is asked for most, one click each. */
  presets?: Preset[];
  /** Of what is listed, how far back; keeps all else that is asked for. */
  times?: Preset[];
  /** What is done with all that it means. */
  beside?: ComponentChildren;
  /** What it is mostly filtered by. */
  first: ComponentChildren;
  /** All else, and from when to when (ISO times); shown at once where one of it is set that no preset says. */
  more: ComponentChildren;
  isMoreSet: boolean;
  /** Shown whatever the presets say. */
  isShown?: boolean;
  from: string;
  to: string;
}

export interface Preset {
  label: string;
  href: string;
  /** It is what is asked for. */
  isOn: boolean;
  /** How many there are; 0 where that is not said. */
  count?: number;
}

/** The filter of a long list of what happened. */
export function LogFilter({
  action,
  presets = [],
  times = [],
  beside,
  first,
  more,
  isMoreSet,
  isShown = false,
  from,
  to,
}: LogFilterProps): VNode {
  const isSaid = (some: Preset[]) => some.some(({ isOn }) => isOn);
  const isOpen = isShown || (isMoreSet && !isSaid(presets)) || (Boolean(from || to) && !isSaid(times));
  return (
    <search class="log-filter">
      {presets.length > 0 && <Presets label={t('Often asked for')} presets={presets} />}
      <form method="get" action={action} novalidate>
        <div class="filter">
          {first}
          <Submit tone="plain">{t('Filter')}</Submit>
        </div>
        <details class="more" open={isOpen}>
          <summary>{t('More filters')}</summary>
          <div class="filter">
            {more}
            <MomentField name="from" label={t('From')} at={from} />
            <MomentField name="to" label={t.of('time', 'To')} at={to} />
          </div>
        </details>
      </form>
      {(times.length > 0 || beside) && (
        <div class="beside">
          <Presets label={t('The last')} presets={times} />
          {beside}
        </div>
      )}
    </search>
  );
}

const Presets = ({ label: name, presets }: { label: string; presets: Preset[] }): VNode => (
  <nav class="presets" aria-label={name}>
    {presets.map(({ label, href, isOn, count = 0 }) => (
      <a key={label} href={href} aria-current={isOn ? 'page' : undefined}>
        {label}
        {count > 0 && <span class="count">{upToMost(count)}</span>}
      </a>
    ))}
  </nav>
);
