import { type VNode } from 'preact';
import { EXPORT_FORMATS } from '../../export-file';
import { t } from '../languages/t';
import { Form } from '../ui/form';

interface Props {
  action: string;
  /** The fields of the filter. */
  fields: Record<string, string>;
  isFiltered: boolean;
}

/** Exports all matches as a file, including other pages. */
export const SaveAll = ({ action, fields, isFiltered }: Props): VNode => (
  <Form action={action} fields={fields} class="actions">
    <span class="quiet small">{isFiltered ? t('Export all matching:') : t('Export all:')}</span>
    {EXPORT_FORMATS.map((format) => (
      <button key={format} class="button plain small" name="format" value={format} data-file="">
        {format.toUpperCase()}
      </button>
    ))}
  </Form>
);
