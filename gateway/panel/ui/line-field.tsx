import { type VNode } from 'preact';
import { contactsOf } from '../../cloud-api/phone-spellings';
import { hasWords, wordsOf } from '../../primitives/words';
import { type FormState } from '../form-state';
import { type UserContext } from '../request-context';
import { SelectField, TextField, useFormState } from './form';
import { type Permission } from '../../rights/roles';
import { t } from '../languages/t';
import { useRequest } from './page-request';

type NamedLine = Pick<ReturnType<UserContext['deps']['lines']['all']>[number], 'id' | 'name' | 'phoneNumber'>;

/** With more lines, a search field replaces the list. */
export const MOST_CHOICES = 50;

const labelOf = ({ id, name }: NamedLine): string => `${name} (${id})`;

/**
 * The line that a filter means: an id, a suggestion, a full name, or part of a name or number that only one
 * line has.
 * @returns the candidates, if no line or several lines match
 */
export function chosenLine<One extends NamedLine>(
  lines: One[],
  text: string,
): { line: One | null; candidates: One[] } {
  const asked = text.trim().toLowerCase();
  if (!asked) return { line: null, candidates: [] };
  const exact = lines.find((line) => [String(line.id), labelOf(line).toLowerCase()].includes(asked));
  if (exact) return { line: exact, candidates: [] };
  const named = lines.filter(({ name }) => name.toLowerCase() === asked);
  const candidates = named.length ? named : linesLike(lines, text);
  return candidates.length === 1
    ? { line: candidates[0] ?? null, candidates: [] }
    : { line: null, candidates };
}

/** Lines whose name contains the words, or whose number contains the digits in any format. */
export function linesLike<One extends NamedLine>(lines: One[], text: string): One[] {
  const words = wordsOf(text);
  const [digits = ''] = contactsOf(text);
  const isNumber = /^\d{3,}$/.test(digits);
  return lines.filter(
    ({ name, phoneNumber }) =>
      !text.trim() || hasWords(name, words) || (isNumber && phoneNumber.replace(/\D/g, '').includes(digits)),
  );
}

interface LineFieldProps {
  /** The state, outside a `Form`, as in a filter. */
  state?: FormState;
  name?: string;
  /** The permission for the offered lines, if the page needs another one. */
  permission?: Permission;
  /** The label for "no line"; null if a line is required. */
  none?: string | null;
  label?: string;
  /** Whether the field is marked as optional. */
  optional?: boolean;
  /** The placeholder of the search field if `none` is null. */
  hint?: string;
}

/** Chooses a line: a list or, with many lines, a search field. */
export function LineField({
  state: given,
  name = 'line',
  permission,
  none = t.of('lines', 'All'),
  label = t('Line'),
  optional,
  hint = t('Name or number'),
}: LineFieldProps): VNode {
  const state = useFormState(given);
  const context = useRequest();
  const lines = (permission ? context.within(permission) : context.deps).lines.all();
  if (lines.length <= MOST_CHOICES)
    return (
      <SelectField
        state={state}
        name={name}
        label={label}
        choices={[
          ...(none === null ? [] : [{ value: '', label: none }]),
          ...lines.map((one) => ({ value: String(one.id), label: one.name })),
        ]}
      />
    );
  const { line, candidates } = chosenLine(lines, state.text(name));
  if (state.text(name) && !line)
    state.addIssue(
      name,
      candidates.length
        ? t('{count, number} lines match. Type more of the name.', { count: candidates.length })
        : t('No line has this name.'),
    );
  const suggested = (candidates.length ? candidates : lines).slice(0, MOST_CHOICES);
  const list = `${name}-suggestions`;
  return (
    <>
      <TextField
        state={state}
        name={name}
        label={label}
        type="search"
        placeholder={none ?? hint}
        value={line ? labelOf(line) : undefined}
        list={list}
        maxLength={200}
        optional={optional}
      />
      <datalist id={list}>
        {suggested.map((one) => (
          <option key={one.id} value={labelOf(one)} />
        ))}
      </datalist>
    </>
  );
}
