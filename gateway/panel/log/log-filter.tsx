import { type ComponentChildren, type VNode } from 'preact';
import { upToMost } from '../languages/numbers';
import { t } from '../languages/t';
import { type FormState } from '../form-state';
import { Submit, TextField } from '../ui/form';
import { MomentField } from '../ui/moment-field';

interface LogFilterProps {
  /** The address of the filtered list. */
  action: string;
  /** The most used filters, as links. */
  presets?: Preset[];
  /** Periods, as links that keep the other filters. */
  times?: Preset[];
  /** Fields that are always shown. */
  first: ComponentChildren;
  /** Further fields, folded. They open if an active filter has neither a chip nor a preset. */
  more: ComponentChildren;
  chips?: Chip[];
  isMoreSet?: boolean;
  /** Whether the further fields are open in any case. */
  isShown?: boolean;
  from: string;
  to: string;
}

/** An active filter, with a link that removes it. */
export interface Chip {
  name: string;
  label: ComponentChildren;
  /** The list without this filter. */
  href: string;
}

export interface Preset {
  label: string;
  href: string;
  /** Whether this filter is active. */
  isOn: boolean;
  /** The number of matches; 0 if not counted. */
  count?: number;
}

/** The filter above a list of events or messages. */
export function LogFilter({
  action,
  presets = [],
  times = [],
  first,
  more,
  chips,
  isMoreSet = false,
  isShown = false,
  from,
  to,
}: LogFilterProps): VNode {
  const isSaid = (some: Preset[]) => some.some(({ isOn }) => isOn);
  const isUnsaid = (isMoreSet && !isSaid(presets)) || (Boolean(from || to) && !isSaid(times));
  const isOpen = isShown || (!chips && isUnsaid);
  return (
    <search class="log-filter">
      {presets.length > 0 && <Presets label={t('Common filters')} presets={presets} />}
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
            {/* A second button, because on a phone the first one is far above. */}
            <Submit tone="plain">{t('Filter')}</Submit>
          </div>
        </details>
      </form>
      {chips && chips.length > 0 && (
        <nav class="chips" aria-label={t('Active filters')}>
          {chips.map(({ name, label, href }) => (
            <a key={name} href={href}>
              {label}
              <span aria-hidden="true">×</span>
              <span class="sr-only">: {t('Remove filter')}</span>
            </a>
          ))}
        </nav>
      )}
      {times.length > 0 && (
        <div class="beside">
          <Presets label={t('Last')} presets={times} />
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

/** The field to search messages and events. */
export function WordsField({ state }: { state: FormState }): VNode {
  const label = t('Number, words or id');
  return <TextField state={state} name="q" label={label} placeholder={label} type="search" maxLength={500} />;
}
