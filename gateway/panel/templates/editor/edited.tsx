import { createContext, type ComponentChildren, type VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { type Draft } from '../../../templates/drafts/draft';
import { lengthOf } from '../../../templates/rules/report';
import { FormState } from '../../form-state';
import { number } from '../../languages/numbers';
import { t } from '../../languages/t';
import { type DraftForm } from './draft-form';
import { type Finding } from './findings';

/** The draft that the page shows, with what was typed. */
export interface Edited {
  draft: Draft;
  form: DraftForm;
  /** The values of the form, with what is refused beside its fields. */
  state: FormState;
  findings: Finding[];
  /** Whether findings are shown beside their fields: not before the first save. */
  isChecked: boolean;
  /** Names and MIME types of the sample files, by hash. */
  files: Map<string, { name: string; type: string }>;
}

export const EditedContext = createContext<Edited | null>(null);

export const useEdited = (): Edited => useContext(EditedContext) as Edited;

/** The state of the form, with what is refused beside the fields. */
export function stateOf({
  form,
  findings,
  isChecked,
}: Pick<Edited, 'form' | 'findings' | 'isChecked'>): FormState {
  const state = new FormState(form.form);
  if (!isChecked) return state;
  const refused = findings.filter(({ level }) => level === 'refused');
  for (const [field, own] of Map.groupBy(refused, (finding) => finding.field))
    state.addIssue(field, own.map(({ sentence }) => sentence).join(' '));
  return state;
}

/** What is said below the label of a field: its purpose, what was counted, and what the review may refuse. */
export function useNotes(name: string, hint: ComponentChildren = null, most?: number): ComponentChildren {
  const { form, findings, isChecked } = useEdited();
  const likely = isChecked ? findings.filter(({ field, level }) => field === name && level === 'likely') : [];
  if (!hint && most === undefined && likely.length === 0) return undefined;
  return (
    <>
      {hint}
      {hint && most !== undefined && ' '}
      {most !== undefined && <Count name={name} text={valueOf(form.form, name)} most={most} />}
      {likely.map(({ sentence }) => (
        <span key={sentence} class="editor-warning">
          {t('The review may refuse this: {reason}', { reason: sentence })}
        </span>
      ))}
    </>
  );
}

export const valueOf = (form: DraftForm['form'], name: string): string => form.get(name) ?? '';

/** The length of a text, counted as the platform does. The script keeps it current. */
const Count = ({ name, text, most }: { name: string; text: string; most: number }): VNode => (
  <span class="editor-count">
    {t.rich('{count} of {most, number} characters', {
      count: <span data-count={`field-${name}`}>{number(lengthOf(text))}</span>,
      most,
    })}
  </span>
);

/** A part of the page that the live preview replaces. */
export const Part = ({ id, children }: { id: string; children: ComponentChildren }): VNode => (
  <div id={id} class="editor-part" data-part="">
    {children}
  </div>
);
