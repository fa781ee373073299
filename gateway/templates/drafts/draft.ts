import { isObject, type Json } from '../../cloud-api/json/json-value';
import { type TemplateDraftRow } from '../../store/tables/template-drafts';

/** The fields of a draft that people write. Nothing is required. */
export interface DraftInput {
  name: string;
  /** The platform's word, or empty. */
  category: string;
  content: DraftContent;
}

export interface DraftContent {
  parameter_format: 'positional' | 'named';
  languages: DraftLanguage[];
  /** Further fields of the platform's creation, such as `message_send_ttl_seconds`. */
  [field: string]: unknown;
}

interface DraftLanguage {
  language: string;
  /** The platform's, in which a sample file of the draft is `{"file": HASH}` in place of the platform's handle. */
  components: Json[];
}

/** A draft of a template in all its languages. */
export interface Draft extends DraftInput {
  id: number;
  /** Null: of the lines without a customer. */
  customerId: number | null;
  /** Counts the saves. */
  revision: number;
  /** ISO times. */
  createdAt: string;
  updatedAt: string;
  /** The name of the user, or the program. */
  updatedBy: string;
}

/** A template in one language, as the platform's creation takes it. */
type PlatformTemplate = Json & {
  name: string;
  language: string;
  category: string;
  components: Json[];
};

export const draftOf = (row: TemplateDraftRow): Draft => ({
  id: row.id,
  customerId: row.customer_id,
  name: row.name,
  category: row.category,
  content: JSON.parse(row.content) as DraftContent,
  revision: row.revision,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  updatedBy: row.updated_by,
});

/**
 * The draft in the platform's format, one object for each language.
 * @param handleOf the handle of a sample file, by its hash; null leaves the file out
 */
export function platformTemplates(
  { name, category, content }: DraftInput,
  handleOf: (hash: string) => string | null = () => null,
): PlatformTemplate[] {
  const { languages, ...fields } = content;
  return languages.map(({ language, components }) => ({
    name,
    language,
    category,
    ...fields,
    components: components.map((component) => withHandles(component, handleOf) as Json),
  }));
}

/** The hashes of the sample files that some content uses. */
export const filesIn = (value: unknown): string[] => {
  const hash = fileOf(value);
  if (hash !== null) return [hash];
  return typeof value === 'object' && value !== null
    ? [...new Set(Object.values(value).flatMap(filesIn))]
    : [];
};

/** The hash in the marker of a sample file; null for any other value. */
const fileOf = (value: unknown): string | null =>
  isObject(value) && typeof value.file === 'string' && Object.keys(value).length === 1 ? value.file : null;

function withHandles(value: unknown, handleOf: (hash: string) => string | null): unknown {
  if (Array.isArray(value))
    return value.map((one) => withHandles(one, handleOf)).filter((one) => one !== null);
  if (!isObject(value)) return value;
  const hash = fileOf(value);
  if (hash !== null) return handleOf(hash);
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, withHandles(inner, handleOf)]),
  );
}
