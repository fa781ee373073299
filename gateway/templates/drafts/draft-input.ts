import { isObject, objects } from '../../cloud-api/json/json-value';
import { isNode } from '../../cloud-api/template';
import { Issues } from '../../primitives/issues';
import { fact } from '../../wording/facts';
import { type DraftInput } from './draft';

const MOST_LANGUAGES = 20;
/** The most kilobytes of a draft, without its sample files. */
export const MOST_KILOBYTES = 200;
/**
 * The most opening braces in a draft's JSON: of its parts, and of the variables in its texts. The largest valid template
 * in 20 languages has fewer. The editor shows fields for each, which takes time.
 */
const MOST_PARTS = 4_000;

const LONGEST_NAME = 1_024;
const LONGEST_CATEGORY = 64;

/** The columns of a draft. */
interface DraftColumns {
  name: string;
  category: string;
  content: string;
}

/**
 * Checks only shape and size of a draft: everything that people write is stored, and the rules of templates are for
 * submission (`draft-issues.ts`).
 * @throws Refusal with all issues, by field
 */
export function draftInput({ name, category, content }: DraftInput): DraftColumns {
  const issues = new Issues();
  if (name.length > LONGEST_NAME) issues.add('name', 'name', fact('name.long', { most: LONGEST_NAME }));
  if (category.length > LONGEST_CATEGORY)
    issues.add('category', 'maxLength', fact('name.long', { most: LONGEST_CATEGORY }));
  const add = (rule: string, fault: Parameters<Issues['add']>[2]) => issues.add('content', rule, fault);
  if (!isContent(content)) add('type', fact('draft.shape', {}));
  else if (content.languages.length > MOST_LANGUAGES)
    add('maxItems', fact('draft.languages', { most: MOST_LANGUAGES }));
  issues.check();
  const json = JSON.stringify(content);
  if (Buffer.byteLength(json) > MOST_KILOBYTES * 1024)
    add('maxLength', fact('draft.large', { kilobytes: MOST_KILOBYTES }));
  if (json.split('{').length > MOST_PARTS) add('maxItems', fact('draft.parts', { most: MOST_PARTS }));
  issues.check();
  return { name: storable(name), category: storable(category), content: json };
}

const isContent = (content: unknown): boolean =>
  isObject(content) &&
  isNode(content) &&
  Array.isArray(content.languages) &&
  objects(content.languages).length === content.languages.length &&
  objects(content.languages).every(
    ({ language, components }) =>
      typeof language === 'string' &&
      Array.isArray(components) &&
      objects(components).length === components.length,
  );

/** PostgreSQL stores neither NUL nor half of a surrogate pair. JSON escapes both. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '');
