import { type VNode } from 'preact';
import { type FormState } from '../form-state';
import { type Visit } from '../request-context';
import { SelectField } from './form';

/** In a filter: one line, or all. */
export const LineField = ({ visit, state }: { visit: Visit; state: FormState }): VNode => (
  <SelectField
    state={state}
    name="line"
    label="Line"
    choices={[
      { value: '', label: 'All' },
      ...visit.world.lines.all().map(({ id, name }) => ({ value: String(id), label: name })),
    ]}
  />
);
