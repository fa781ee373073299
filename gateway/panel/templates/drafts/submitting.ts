import { submitDraft, type CellOutcome, type DraftCell } from '../../../management/drafts/submit-draft';
import { MINUTE } from '../../../time';
import { type PanelDeps } from '../../dependencies';
import { type UserContext } from '../../request-context';

/** A submission that was started in the panel. */
export interface Submission {
  isRunning: boolean;
  /** How many cells it has. */
  count: number;
  /** The cells that are not submitted yet, as `keyOfCell`. */
  waiting: Set<string>;
  outcomes: CellOutcome[];
  /** Until when the result is shown, in milliseconds. */
  until: number;
}

export const keyOfCell = ({ wabaId, language }: DraftCell): string => `${wabaId} ${language}`;

/** The latest submission of each draft in this process. Other processes show only the stored outcomes. */
const submissions = new WeakMap<PanelDeps['templateChanges'], Map<number, Submission>>();

const TELL_FOR = 10 * MINUTE;

export function submissionOf({ templateChanges: deps }: PanelDeps, draftId: number): Submission | null {
  const found = submissions.get(deps)?.get(draftId) ?? null;
  return found && (found.isRunning || deps.clock() < found.until) ? found : null;
}

/**
 * Starts a submission, which continues in the background.
 * @returns resolves when it has ended
 * @throws Refusal if the draft may not be submitted there
 */
export async function beginSubmission(
  { deps: { templateChanges: deps }, actor, session }: UserContext,
  draftId: number,
  cells: readonly DraftCell[],
): Promise<{ ended: Promise<void> }> {
  const submission: Submission = {
    ...{ isRunning: true, count: cells.length, outcomes: [], until: 0 },
    waiting: new Set(cells.map(keyOfCell)),
  };
  const ofDrafts = submissions.get(deps) ?? new Map<number, Submission>();
  submissions.set(deps, ofDrafts);
  // Before the first wait, so that a second click finds it.
  ofDrafts.set(draftId, submission);
  const run = await submitDraft(deps, actor, session.grants, draftId, cells, (outcome) => {
    submission.waiting.delete(keyOfCell(outcome));
    submission.outcomes.push(outcome);
  }).catch((error: unknown) => {
    ofDrafts.delete(draftId);
    throw error;
  });
  const ended = run()
    .catch((error: unknown) => deps.log.error({ error, draft: draftId }, 'submission of a draft broke off'))
    .then(() => {
      submission.isRunning = false;
      submission.waiting.clear();
      submission.until = deps.clock() + TELL_FOR;
    });
  return { ended };
}
