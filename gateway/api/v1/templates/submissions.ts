import * as Type from 'typebox';
import { draftCellUnknown, draftNotFound, invalidField } from '../../../errors';
import { draftBoard, type Board, type BoardCell } from '../../../management/drafts/board';
import { submitDraft } from '../../../management/drafts/submit-draft';
import { issueIn } from '../../../templates/template-refusal';
import { templateRecord } from '../../../templates/template-record';
import { say } from '../../../wording/say';
import { TextOrNull, TimeOrNull } from '../../http/answer-parts';
import { bodyOf, typesOf } from '../../http/parse-body';
import { act, get } from '../described';
import { found } from '../operation';
import { draftIn } from './drafts';

const Failure = Type.Unsafe<string | null>({
  type: 'string',
  nullable: true,
  description: 'Why the platform, or a rule, did not accept it.',
});

const Issue = Type.Object({
  path: Type.String({ description: 'Such as `components[1].buttons[0].text`.' }),
  rule: Type.String(),
  level: Type.Enum(['refused', 'likely'], {
    description: '`refused` blocks the submission; `likely`: the review will probably refuse it.',
  }),
  message: Type.String(),
});

const Cell = Type.Object({
  language: Type.String(),
  template: Type.Union([
    Type.Object({
      id: TextOrNull,
      status: Type.String(),
      platform_status: TextOrNull,
      category: Type.String(),
    }),
    Type.Null(),
  ]),
  differs: Type.Boolean({ description: 'Whether the template at the platform differs from the draft.' }),
  action: Type.Union([Type.Enum(['create', 'edit']), Type.Null()], {
    description: 'What a submission does; null if it is not possible now.',
  }),
  submitted_at: TimeOrNull,
  failure: Failure,
});

export const TemplateSubmissions = Type.Object({
  languages: Type.Array(Type.Object({ language: Type.String(), issues: Type.Array(Issue) })),
  accounts: Type.Array(
    Type.Object({
      waba_id: Type.String(),
      line_ids: Type.Array(Type.Integer()),
      templates: Type.Array(Cell),
    }),
  ),
});

type Shown = Type.Static<typeof TemplateSubmissions>;

const cellShown = ({ language, template, isDifferent, hasOtherCategory, action, submission }: BoardCell) => {
  const record = template && templateRecord(template);
  return {
    language,
    template: record && {
      id: record.id,
      status: record.status,
      platform_status: record.platform_status,
      category: record.category,
    },
    differs: isDifferent || hasOtherCategory,
    action,
    submitted_at: submission?.at ?? null,
    failure: sentence(submission?.failure ?? null),
  };
};

const sentence = (said: readonly Parameters<typeof say>[1][] | null): string | null =>
  said && said.map((one) => say('en', one)).join(' ');

const shown = ({ languages, accounts }: Board): Shown => ({
  languages: languages.map(({ language, issues }) => ({
    language,
    issues: issues.map((issue) => {
      const { path, rule, message } = issueIn(issue);
      return { path, rule, level: issue.level, message };
    }),
  })),
  accounts: accounts.map(({ wabaId, lines, cells }) => ({
    waba_id: wabaId,
    line_ids: lines.map(({ id }) => id),
    templates: cells.map(cellShown),
  })),
});

const TAG = 'Templates';

export const getTemplateSubmissions = get('/template-drafts/{draft_id}/submissions', {
  tag: TAG,
  id: 'getTemplateSubmissions',
  permission: 'templates.read',
  summary: 'Check a template draft, and follow its submissions',
  description:
    'What the rules of the platform find in each language, and the state of the template on each business account of the customer.',
  schema: 'TemplateSubmissions',
  refusals: () => [draftNotFound()],
  object: async (context) =>
    shown(await draftBoard(context.deps, await draftIn(context, context.deps.store))),
});

/** The most submissions of one request, each of which asks the platform. */
const MOST = 10;

const Place = Type.Object(
  { waba_id: Type.String(), language: Type.String() },
  { additionalProperties: false },
);
const Submission = Type.Object(
  { submissions: Type.Array(Place, { minItems: 1, maxItems: MOST }) },
  { additionalProperties: false },
);
const read = bodyOf(typesOf(Submission));

const Outcomes = Type.Object({
  data: Type.Array(
    Type.Object({
      ...Place.properties,
      accepted: Type.Unsafe<boolean | null>({
        type: 'boolean',
        nullable: true,
        description: 'Whether the platform accepted it for review; null with `dry_run`.',
      }),
      failure: Failure,
    }),
  ),
});

const wrongCount = () =>
  invalidField('submissions', 'maxItems', `Give 1 to ${MOST} submissions in one request.`);

export const submitTemplateDraft = act('/template-drafts/{draft_id}/submissions', {
  tag: TAG,
  id: 'submitTemplateDraft',
  permission: 'templates.write',
  summary: 'Submit a template draft',
  description:
    'Creates the template on business accounts of the customer, or edits it where it exists, one after the other. A failure does not stop the others. Repeat a failed one: a template that the platform created is not created twice.',
  body: {
    schema: Submission,
    examples: {
      one: { value: { submissions: [{ waba_id: '102290129340398', language: 'en_US' }] } },
    },
  },
  schema: Outcomes,
  refusals: () => [draftNotFound(), draftCellUnknown(), wrongCount()],
  handler: async (context) => {
    const { deps, actor, by, request, isDryRun } = context;
    const { id } = await draftIn(context, deps.store);
    const { submissions } = read(request);
    if (submissions.length < 1 || submissions.length > MOST) throw wrongCount();
    const cells = submissions.map(({ waba_id: wabaId, language }) => ({ wabaId, language }));
    const submit = await submitDraft(deps.templateChanges, actor, by, id, cells);
    const outcomes = isDryRun ? cells.map((cell) => ({ ...cell, failure: null })) : await submit();
    return found({
      data: outcomes.map(({ wabaId, language, failure }) => ({
        waba_id: wabaId,
        language,
        accepted: isDryRun ? null : failure === null,
        failure: sentence(failure),
      })),
    });
  },
});
