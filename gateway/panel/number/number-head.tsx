import { type VNode } from 'preact';
import { refusalOfFailure } from '../../cloud-api/failures';
import { type Json } from '../../cloud-api/json/json-value';
import { lineNotConfigured } from '../../errors';
import { type Line } from '../../lines/line';
import { changeNumber, readNumber, type NumberChange } from '../../management/number';
import { type LineRow } from '../../store/tables/lines';
import { WHOLE, type FormState } from '../form-state';
import { t } from '../languages/t';
import { page, type PanelResponse } from '../outcome';
import { type UserContext } from '../request-context';
import { refusalSentence } from '../ui/frame/error-page';
import { LineHead } from '../ui/frame/line-head';
import { Notice } from '../ui/parts';

/** The parts that the pages of a number share. */

const PARTS = {
  '': () => t('Business profile'),
  '/chat-start': () => t('Chat start'),
  '/qr': () => t('QR codes'),
  '/blocked': () => t('Blocked contacts'),
  '/registration': () => t('Registration'),
};

export type NumberPart = keyof typeof PARTS;

export const numberAddress = ({ id }: Pick<LineRow, 'id'>, part: NumberPart = ''): string =>
  `/panel/lines/${id}/number${part}`;

/** A page of a number, below the head of its line. @param state of its form */
export const numberPage = (
  line: LineRow,
  part: NumberPart,
  content: VNode,
  state?: FormState,
): PanelResponse =>
  page(
    <LineHead title={t('Number of {name}', { name: line.name })} line={line} here="number">
      {t('What WhatsApp stores about this number. Changes are made there at once.')}
    </LineHead>,
    <>
      <NumberTabs line={line} part={part} />
      {content}
    </>,
    state,
  );

/** Links to the pages of a number. */
const NumberTabs = ({ line, part }: { line: LineRow; part: NumberPart }): VNode => (
  <nav class="tabs" aria-label={t('Pages of the number')}>
    {(Object.keys(PARTS) as NumberPart[]).map((one) => (
      <a key={one} href={numberAddress(line, one)} aria-current={one === part ? 'page' : undefined}>
        {PARTS[one]()}
      </a>
    ))}
  </nav>
);

/** What the platform answered to a read. */
export interface ReadResult {
  entries: Json[];
  /** Why the read failed; null if it did not. */
  failure: string | null;
}

/** The line with its credentials. @throws Refusal if it has none */
function usable({ deps }: UserContext, { id }: LineRow): Line {
  const line = deps.lines.byId(id);
  if (!line) throw lineNotConfigured();
  return line;
}

const sentenceOf = (error: unknown): string => refusalSentence(refusalOfFailure(error) ?? error);

export async function readPart(
  context: UserContext,
  row: LineRow,
  edge: string,
  query: Record<string, string> = {},
): Promise<ReadResult> {
  try {
    return { entries: await readNumber(context.deps, usable(context, row), edge, query), failure: null };
  } catch (error) {
    return { entries: [], failure: sentenceOf(error) };
  }
}

export const ReadFailure = ({ failure }: { failure: string }): VNode => (
  <Notice tone="bad">
    <p>
      <strong>{t('WhatsApp could not be read.')}</strong> {failure}
    </p>
  </Notice>
);

/**
 * Makes a change at the platform, and adds why it was refused to the form.
 * @param change may call the platform first
 * @param fields form field names, by the field names in issues
 * @returns whether it was made
 */
export async function madeChange(
  context: UserContext,
  row: LineRow,
  state: FormState,
  change: (line: Line) => NumberChange | Promise<NumberChange>,
  fields: Record<string, string> = {},
): Promise<boolean> {
  const { deps, actor, session } = context;
  try {
    const made = await state.given(async () => {
      const line = usable(context, row);
      return changeNumber(deps, actor, session.grants, line, await change(line));
    }, fields);
    return made !== null;
  } catch (error) {
    state.addIssue(WHOLE, sentenceOf(error));
    return false;
  }
}
