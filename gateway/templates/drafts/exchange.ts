import { isObject, objects, parsed, type Json } from '../../cloud-api/json/json-value';
import { isNode } from '../../cloud-api/template';
import { invalidField } from '../../errors';
import { type TemplateRow } from '../../store/tables/templates';
import { fact } from '../../wording/facts';
import { platformTemplates, type DraftContent, type DraftInput } from './draft';

/** A draft without content. */
export const emptyDraft = (language: string): DraftInput => ({
  name: '',
  category: '',
  content: { parameter_format: 'positional', languages: [{ language, components: [] }] },
});

/** Fields of the platform's list that its creation does not take. */
const READ_ONLY = new Set([
  'id',
  'status',
  'quality_score',
  'rejected_reason',
  'previous_category',
  'correct_category',
  'last_updated_time',
]);

/** What all languages of a template have in common. */
const COMMON = ['name', 'category', 'parameter_format'] as const;

/**
 * Reads a template in the platform's format: an object, or a list with an object for each language.
 * @param json text
 * @throws Refusal that names the field `json`
 */
export function importedDraft(json: string): DraftInput {
  const value = parsed(json);
  if (value === undefined)
    throw invalidField('json', 'json', fact('json.invalid', { why: whyInvalid(json) }));
  const templates = objects(Array.isArray(value) ? value : [value]);
  const isList = !Array.isArray(value) || templates.length === value.length;
  if (!templates.length || !isList || !isNode(value) || !templates.every(isTemplate))
    throw invalidField('json', 'type', fact('draft.import', {}));
  return draftOfTemplates(templates);
}

/** Whether some JSON is a template, and not, for example, the platform's answer with its list. */
const isTemplate = ({ name, components }: Json): boolean =>
  typeof name === 'string' || Array.isArray(components);

function whyInvalid(json: string): string {
  try {
    JSON.parse(json);
    return '';
  } catch (error) {
    return (error as SyntaxError).message.slice(0, 200);
  }
}

/** A draft of the stored templates of one name. @param rows not empty */
export const draftOfRows = (rows: readonly TemplateRow[]): DraftInput =>
  draftOfTemplates(
    rows.map(({ name, language, category, parameter_format, components }) => ({
      ...{ name, language, category, parameter_format },
      components: JSON.parse(components) as unknown,
    })),
    // The platform may have moved one language to another category.
    false,
  );

function draftOfTemplates(templates: readonly Json[], isStrict = true): DraftInput {
  const [first = {}] = templates;
  const fieldsOf = ({ language: _, components: __, name: ___, category: ____, ...fields }: Json) =>
    Object.fromEntries(Object.entries(fields).filter(([field]) => !READ_ONLY.has(field)));
  const fields = fieldsOf(first);
  for (const template of isStrict ? templates : []) {
    const all = {
      ...Object.fromEntries(COMMON.map((field) => [field, template[field]])),
      ...fieldsOf(template),
    };
    const other = Object.entries(all).find(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(first[field]),
    );
    if (other) throw invalidField('json', 'same', fact('draft.differs', { field: other[0] }));
  }
  return {
    name: textIn(first.name),
    category: textIn(first.category).toUpperCase(),
    content: {
      ...fields,
      parameter_format: textIn(first.parameter_format).toLowerCase() === 'named' ? 'named' : 'positional',
      languages: templates.map(({ language, components }) => ({
        language: textIn(language),
        components: objects(components).map((component) => withoutLinks(component) as Json),
      })),
    } as DraftContent,
  };
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Leaves out links to sample files. The platform's list has them in place of the handles, and its creation does not
 * take them.
 */
function withoutLinks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLinks);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [
      field,
      field === 'header_handle' && Array.isArray(inner)
        ? inner.filter((one) => typeof one !== 'string' || !/^https?:/i.test(one))
        : withoutLinks(inner),
    ]),
  );
}

/**
 * The draft as a file in the platform's format, which `importedDraft` reads: an object, or a list for several
 * languages. Sample files are left out, because a handle belongs to one app.
 */
export function exportedDraft(draft: DraftInput): string {
  const templates = platformTemplates(draft);
  return `${JSON.stringify(templates.length === 1 ? templates[0] : templates, null, 2)}\n`;
}
