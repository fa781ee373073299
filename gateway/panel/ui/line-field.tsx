import { type VNode } from 'preact';
import { type FormState } from '../form-state';
import { type UserContext } from '../request-context';
import { SelectField } from './form';

/** In a filter: one line, or all. */
export const LineField = ({ context, state }: { context: UserContext; state: FormState }): VNode => (
  <SelectField
    state={state}
    name="line"
    label="Line"
    choices={[
      { value: '', label: 'All' },
      ...context.deps.lines.all().map(({ id, name }) => ({ value: String(id), label: name })),
    ]}
  />
);
