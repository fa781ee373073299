import * as Type from 'typebox';
import { lineUnknown, sharedBusinessAccount, templateNotFound } from '../../../errors';
import { type Line } from '../../../lines/line';
import { deleteTemplate } from '../../../management/templates';
import { readId } from '../../http/query';
import { FORWARDED } from '../../refusals';
import { list, remove } from '../described';
import { pageInMemory } from '../list-page';
import { done, type AdminContext } from '../operation';

const TAG = 'Templates';

const LINE_ID = Type.Integer({ minimum: 1, description: 'The line whose templates are meant.' });

/** @throws Refusal if the token does not reach the line */
function lineIn({ query, deps }: AdminContext): Line {
  const line = deps.lines.byId(readId('line_id', query.line_id ?? '') ?? 0);
  if (!line) throw lineUnknown();
  return line;
}

export const listLineTemplates = list('/templates', {
  tag: TAG,
  id: 'listLineTemplates',
  permission: 'templates.read',
  summary: 'List the templates of a line',
  description:
    'The stored templates by name and language. All lines of a customer on a business account have the same.',
  query: {
    line_id: LINE_ID,
    name: Type.Optional(Type.String({ description: 'Only templates with this name.' })),
  },
  schema: 'Template',
  refusals: () => [lineUnknown()],
  handler: async (context) => {
    const { templates } = await context.deps.knownTemplates.list(lineIn(context).id);
    const { name } = context.query;
    const rows = templates.map(({ row, record }, index) => ({ id: index + 1, row, record }));
    const named = name === undefined ? rows : rows.filter(({ row }) => row.name === name);
    return pageInMemory(context, named, ({ record }) => JSON.parse(record.toString()) as object);
  },
});

export const deleteLineTemplate = remove('/templates', {
  tag: TAG,
  id: 'deleteTemplateAtPlatform',
  permission: 'templates.write',
  summary: 'Delete a template at the platform',
  description:
    'In all its languages, or only the one with this `id`. Messages with it then fail. The platform does not allow its name again for 30 days.',
  query: {
    line_id: LINE_ID,
    name: Type.String({ description: 'The name of the template.' }),
    id: Type.Optional(Type.String({ description: "The platform's id of the template in one language." })),
  },
  refusals: () => [lineUnknown(), templateNotFound(), sharedBusinessAccount(), ...FORWARDED],
  keepsPlatformStatus: true,
  handler: async (context) => {
    const { deps, actor, query, isDryRun } = context;
    const line = lineIn(context);
    const { name = '', id } = query;
    const { templates } = await deps.knownTemplates.list(line.id);
    const isThere = templates.some(
      ({ row }) =>
        row.name === name && row.upstream_id !== null && (id === undefined || row.upstream_id === id),
    );
    if (!isThere) throw templateNotFound();
    if (!isDryRun)
      await deleteTemplate(deps.templateChanges, actor, line, {
        name,
        ...(id !== undefined && { hsm_id: id }),
      });
    return done;
  },
});
