import { type ComponentChildren, type VNode } from 'preact';
import { t } from '../languages/t';
import { Submit } from './form';
import { MomentField } from './moment-field';

interface LogFilterProps {
  /** The list that it filters. */
  action: string;
  /** Above it: what is asked for most. */
  presets?: VNode;
  /** What it is mostly filtered by. */
  first: ComponentChildren;
  /** All else, and from when to when (ISO times); shown at once where one of it is set. */
  more: ComponentChildren;
  isMoreSet: boolean;
  /** What is set is one of `presets`, which say it. */
  isPreset?: boolean;
  from: string;
  to: string;
}

/** The filter of a long list of what happened. */
export const LogFilter = ({
  action,
  presets,
  first,
  more,
  isMoreSet,
  isPreset = false,
  from,
  to,
}: LogFilterProps): VNode => (
  <search class="log-filter">
    {presets}
    <form method="get" action={action} novalidate>
      <div class="filter">
        {first}
        <Submit tone="plain">{t('Filter')}</Submit>
      </div>
      <details class="more" open={!isPreset && (isMoreSet || Boolean(from || to))}>
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
