import { type ComponentChildren, type VNode } from 'preact';
import { t } from '../languages/t';
import { Submit } from './form';

interface LogFilterProps {
  /** The list that it filters. */
  action: string;
  /** Above it: what is asked for most. */
  presets?: VNode;
  /** What it is mostly filtered by. */
  first: ComponentChildren;
  /** All else; shown at once where one of it is set. */
  more: ComponentChildren;
  isMoreSet: boolean;
}

/** The filter of a long list. */
export const LogFilter = ({ action, presets, first, more, isMoreSet }: LogFilterProps): VNode => (
  <search class="log-filter">
    {presets}
    <form method="get" action={action} novalidate>
      <div class="filter">
        {first}
        <Submit tone="plain">{t('Filter')}</Submit>
      </div>
      <details class="more" open={isMoreSet}>
        <summary>{t('More filters')}</summary>
        <div class="filter">{more}</div>
      </details>
    </form>
  </search>
);
