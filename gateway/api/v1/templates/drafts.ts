import * as Type from 'typebox';
import { customerUnknown, draftChanged, draftNotFound, notPermitted } from '../../../errors';
import { type Tables } from '../../../store/store';
import { draftOf, type Draft, type DraftContent } from '../../../templates/drafts/draft';
import { MOST_KILOBYTES } from '../../../templates/drafts/draft-input';
import { createDraft, deleteDraft, duplicateDraft, saveDraft } from '../../../templates/drafts/manage-drafts';
import { bodyOf, typesOf } from '../../http/parse-body';
import { readId } from '../../http/query';
import { change, create, get, list, remove } from '../described';
import { pageInMemory } from '../list-page';
import { done, found, made, type AdminContext } from '../operation';

const CustomerId = Type.Unsafe<number | null>({
  type: 'integer',
  nullable: true,
  description: 'Null: of the lines without a customer.',
});

export const TemplateDraft = Type.Object({
  id: Type.Integer(),
  customer_id: CustomerId,
  name: Type.String(),
  category: Type.String(),
  content: Type.Object({}, { additionalProperties: true }),
  revision: Type.Integer({ description: 'Counts the saves.' }),
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
  updated_by: Type.String(),
});

const shown = (draft: Draft): Type.Static<typeof TemplateDraft> => ({
  id: draft.id,
  customer_id: draft.customerId,
  name: draft.name,
  category: draft.category,
  content: draft.content,
  revision: draft.revision,
  created_at: draft.createdAt,
  updated_at: draft.updatedAt,
  updated_by: draft.updatedBy,
});

const FIELDS = {
  name: Type.String({ description: 'As at the platform, such as `order_ready`.' }),
  category: Type.String({ description: "The platform's word, such as `UTILITY`." }),
  content: Type.Object(
    {},
    {
      additionalProperties: true,
      description:
        '`parameter_format`, and `languages`: a list of `language` and `components` in the format of the platform. Everything is stored; the rules of the platform are checked before a submission.',
    },
  ),
};

const NewDraft = Type.Object(
  { customer_id: Type.Optional(CustomerId), ...FIELDS },
  { additionalProperties: false },
);
const DraftChange = Type.Object(
  {
    name: Type.Optional(FIELDS.name),
    category: Type.Optional(FIELDS.category),
    content: Type.Optional(FIELDS.content),
    revision: Type.Optional(
      Type.Integer({ description: 'Refused if the draft has another revision, as with `If-Match`.' }),
    ),
  },
  { additionalProperties: false },
);
const readNew = bodyOf(typesOf(NewDraft));
const readChange = bodyOf(typesOf(DraftChange));

/** @throws Refusal if the token does not see the draft */
export async function draftIn(
  { params }: AdminContext,
  { templateDrafts }: Pick<Tables, 'templateDrafts'>,
): Promise<Draft> {
  const row = await templateDrafts.find(Number(params.draft_id));
  if (!row) throw draftNotFound();
  return draftOf(row);
}

const object = async (context: AdminContext, store: Tables) => shown(await draftIn(context, store));

const TAG = 'Templates';
const BODY_LIMIT = (MOST_KILOBYTES + 64) * 1024;

const CONTENT = {
  parameter_format: 'positional',
  languages: [
    {
      language: 'en_US',
      components: [
        {
          type: 'BODY',
          text: 'Hello {{1}}, your order is ready.',
          example: { body_text: [['Ana']] },
        },
      ],
    },
  ],
};

export const listTemplateDrafts = list('/template-drafts', {
  tag: TAG,
  id: 'listTemplateDrafts',
  permission: 'templates.read',
  summary: 'List template drafts',
  description: 'In the order of their ids.',
  query: {
    customer_id: Type.Optional(Type.Integer({ minimum: 1, description: 'Only drafts of this customer.' })),
  },
  schema: 'TemplateDraft',
  refusals: () => [],
  handler: async (context) => {
    const { query, deps } = context;
    const customer = readId('customer_id', query.customer_id);
    const rows = await deps.store.templateDrafts.all();
    const wanted = customer === null ? rows : rows.filter((row) => row.customer_id === customer);
    return pageInMemory(context, wanted, (row) => shown(draftOf(row)));
  },
});

export const getTemplateDraft = get('/template-drafts/{draft_id}', {
  tag: TAG,
  id: 'getTemplateDraft',
  permission: 'templates.read',
  summary: 'Get a template draft',
  description: 'One draft in all its languages.',
  schema: 'TemplateDraft',
  refusals: () => [draftNotFound()],
  object,
});

export const createTemplateDraft = create('/template-drafts', {
  tag: TAG,
  id: 'createTemplateDraft',
  permission: 'templates.write',
  fields: { customer: 'customer_id' },
  summary: 'Create a template draft',
  description: 'A template in all its languages, which you then submit to business accounts of its customer.',
  bodyLimit: BODY_LIMIT,
  body: {
    schema: NewDraft,
    examples: {
      draft: { value: { customer_id: 1, name: 'order_ready', category: 'UTILITY', content: CONTENT } },
    },
  },
  schema: 'TemplateDraft',
  refusals: () => [notPermitted(), customerUnknown()],
  object,
  handler: async (context) => {
    const { deps, actor, by, request } = context;
    const { customer_id: customerId = null, name, category, content } = readNew(request);
    const given = { name, category, content: content as DraftContent };
    const draft = await createDraft(deps, actor, by, customerId, given);
    return made(`/template-drafts/${draft.id}`, shown(draft));
  },
});

export const changeTemplateDraft = change('/template-drafts/{draft_id}', {
  tag: TAG,
  id: 'changeTemplateDraft',
  permission: 'templates.write',
  summary: 'Change a template draft',
  description: 'Fields that you omit stay as they are. `content` is replaced as a whole.',
  bodyLimit: BODY_LIMIT,
  body: { schema: DraftChange, examples: { rename: { value: { name: 'order_ready_2' } } } },
  schema: 'TemplateDraft',
  refusals: () => [draftNotFound(), draftChanged('Ana', '2026-03-10T12:00:00.000Z')],
  object,
  handler: async (context) => {
    const { deps, actor, by, request } = context;
    const given = readChange(request);
    const draft = await draftIn(context, deps.store);
    const { name, category, content, revision } = draft;
    const saved = { name, category, content, revision, ...given } as typeof draft;
    return found(shown(await saveDraft(deps, actor, by, draft.id, saved)));
  },
});

export const duplicateTemplateDraft = create('/template-drafts/{draft_id}/duplicate', {
  tag: TAG,
  id: 'duplicateTemplateDraft',
  permission: 'templates.write',
  summary: 'Duplicate a template draft',
  description: 'With its sample files, and with another name.',
  schema: 'TemplateDraft',
  refusals: () => [draftNotFound()],
  handler: async (context) => {
    const { deps, actor, by } = context;
    const draft = await duplicateDraft(deps, actor, by, (await draftIn(context, deps.store)).id);
    return made(`/template-drafts/${draft.id}`, shown(draft));
  },
});

export const deleteTemplateDraft = remove('/template-drafts/{draft_id}', {
  tag: TAG,
  id: 'deleteTemplateDraft',
  permission: 'templates.write',
  summary: 'Delete a template draft',
  description: 'Templates that were submitted from it stay at the platform.',
  refusals: () => [draftNotFound()],
  object,
  handler: async (context) => {
    const { deps, actor, by } = context;
    await deleteDraft(deps, actor, by, (await draftIn(context, deps.store)).id);
    return done;
  },
});
