import { type VNode } from 'preact';
import { type FormState } from '../form-state';
import { type UserContext } from '../request-context';
import { SelectField, TextField } from './form';

type NamedLine = Pick<ReturnType<UserContext['deps']['lines']['all']>[number], 'id' | 'name' | 'phoneNumber'>;

/** More lines than this are not chosen from a list, but found by typing. */
const MOST_CHOICES = 50;

const labelOf = ({ id, name }: NamedLine): string => `${name} (${id})`;

/**
 * The line that a filter means: by its id, by what the field suggests, by its whole name, or by a part of its name or
 * number that no other has.
 * @returns those that it may be, where it is none or several
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

/** Those of whose name or number this is a part; numbers in any spelling. */
export function linesLike<One extends NamedLine>(lines: One[], text: string): One[] {
  const asked = text.trim().toLowerCase();
  const digits = asked.replace(/[\s()+.\-/]/g, '');
  const isNumber = /^\d{3,}$/.test(digits);
  return lines.filter(
    ({ name, phoneNumber }) =>
      name.toLowerCase().includes(asked) || (isNumber && phoneNumber.replace(/\D/g, '').includes(digits)),
  );
}

/** In a filter: one line, or all. */
export function LineField({ context, state }: { context: UserContext; state: FormState }): VNode {
  const lines = context.deps.lines.all();
  if (lines.length <= MOST_CHOICES)
    return (
      <SelectField
        state={state}
        name="line"
        label="Line"
        choices={[
          { value: '', label: 'All' },
          ...lines.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
    );
  const { line, candidates } = chosenLine(lines, state.text('line'));
  if (state.text('line') && !line)
    state.addIssue(
      'line',
      candidates.length
        ? `${candidates.length} lines fit: type more of the name.`
        : 'No line is called that.',
    );
  const suggested = (candidates.length ? candidates : lines).slice(0, MOST_CHOICES);
  return (
    <>
      <TextField
        state={state}
        name="line"
        label="Line"
        type="search"
        placeholder="All"
        value={line ? labelOf(line) : undefined}
        list="line-suggestions"
        maxLength={200}
      />
      <datalist id="line-suggestions">
        {suggested.map((one) => (
          <option key={one.id} value={labelOf(one)} />
        ))}
      </datalist>
    </>
  );
}
