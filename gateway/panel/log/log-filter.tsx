import { type ComponentChildren, type VNode } from 'preact';
import { upToMost } from '../languages/numbers';
import { t } from '../languages/t';
import { type FormState } from '../form-state';
import { Submit, TextField } from '../ui/form';
import { MomentField } from '../ui/moment-field';

interface LogFilterProps {
  /** The list that it filters. */
  action: string;
  /** Before it: what is asked for most, one click each. */
  presets?: Preset[];
  /** Of what is listed, how far back; keeps all else that is asked for. */
  times?: Preset[];
  /** What it is mostly filtered by. */
  first: ComponentChildren;
  /**
   * All else, and from when to when (ISO times). Where what is set of it is not told by chips, it is shown at once as soon as
   * one of it is set that no preset says.
   */
  more: ComponentChildren;
  chips?: Chip[];
  isMoreSet?: boolean;
  /** Shown whatever is set. */
  isShown?: boolean;
  from: string;
  to: string;
}

/** Something that a list is filtered by, which can be taken away. */
export interface Chip {
  name: string;
  label: ComponentChildren;
  /** The list without it. */
  href: string;
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
            {/* On a phone the other one is far above. */}
            <Submit tone="plain">{t('Filter')}</Submit>
          </div>
        </details>
      </form>
      {chips && chips.length > 0 && (
        <nav class="chips" aria-label={t('What is set')}>
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
          <Presets label={t('The last')} presets={times} />
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

/** By what messages and events are looked for. */
export function WordsField({ state }: { state: FormState }): VNode {
  const label = t('Number, words or id');
  return <TextField state={state} name="q" label={label} placeholder={label} type="search" maxLength={500} />;
}
