import { type ComponentChildren, type VNode } from 'preact';
import { upToMost } from '../languages/numbers';
import { t } from '../languages/t';
import { Submit } from './form';
import { MomentField } from './moment-field';

interface LogFilterProps {
  /** The list that it filters. */
  action: string;
  /** Above it: what is asked for most, one click each. */
  presets?: Preset[];
  /** What it is mostly filtered by. */
  first: ComponentChildren;
  /** All else, and from when to when (ISO times); shown at once where one of it is set. */
  more: ComponentChildren;
  isMoreSet: boolean;
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
export const LogFilter = ({
  action,
  presets = [],
  first,
  more,
  isMoreSet,
  from,
  to,
}: LogFilterProps): VNode => (
  <search class="log-filter">
    {presets.length > 0 && (
      <nav class="presets" aria-label={t('Often asked for')}>
        {presets.map(({ label, href, isOn, count = 0 }) => (
          <a key={label} href={href} aria-current={isOn ? 'page' : undefined}>
            {label}
            {count > 0 && <span class="count">{upToMost(count)}</span>}
          </a>
        ))}
      </nav>
    )}
    <form method="get" action={action} novalidate>
      <div class="filter">
        {first}
        <Submit tone="plain">{t('Filter')}</Submit>
      </div>
      <details class="more" open={!presets.some(({ isOn }) => isOn) && (isMoreSet || Boolean(from || to))}>
        <summary>{t('More filters')}</summary>
        <div class="filter">
          {more}
          <MomentField name="from" label={t('From')} at={from} />
          <MomentField name="to" label={t('Until before')} at={to} />
        </div>
      </details>
    </form>
  </search>
);
