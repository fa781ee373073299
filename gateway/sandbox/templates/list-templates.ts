/**
 * `GET /{WABA id}/message_templates`: the account's templates in pages, with the platform's filters.
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates
 */
import { emptyFields, lastOf, page, type QueryParameters, selectFields } from '../platform/read';
import { type Template } from './starter-templates';

const DEFAULT_FIELDS = ['name', 'parameter_format', 'components', 'language', 'status', 'category'];

const contains = (text: string, wanted: string): boolean => text.toLowerCase().includes(wanted.toLowerCase());

const textOf = ({ components }: Template): string =>
  components.map((part) => ('text' in part ? String(part.text) : '')).join('\n');

/** One value or a list: `APPROVED`, `APPROVED,PAUSED` or `["APPROVED","PAUSED"]`. */
const isAmong = (value: string, wanted: string): boolean =>
  wanted
    .toLowerCase()
    .split(/[[\],"\s]+/)
    .includes(value.toLowerCase());

/** The platform's filters. Names and contents match in part. */
const FILTERS: Record<string, (template: Template, wanted: string) => boolean> = {
  name: ({ name }, wanted) => contains(name, wanted),
  content: (template, wanted) => contains(textOf(template), wanted),
  name_or_content: (template, wanted) => contains(`${template.name}\n${textOf(template)}`, wanted),
  language: ({ language }, wanted) => isAmong(language, wanted),
  status: ({ status }, wanted) => isAmong(status, wanted),
  category: ({ category }, wanted) => isAmong(category, wanted),
  quality_score: ({ quality_score: { score } }, wanted) => isAmong(score, wanted),
};

/** The platform's limit for one business account. */
export const TEMPLATES_MOST = 6000;

/** Fields that the platform has and omits if empty. */
const EMPTY_FIELDS = emptyFields([
  'correct_category',
  'cta_url_link_tracking_opted_out',
  'degrees_of_freedom_spec',
  'is_primary_device_delivery_only',
  'library_template_name',
  'message_send_ttl_seconds',
  'previous_category',
  'specific_rejection_reasons',
  'sub_category',
]);

export function listTemplates(templates: readonly Template[], query: QueryParameters, address: string) {
  const chosen = templates.filter((template) =>
    Object.entries(FILTERS).every(([name, matches]) => {
      const wanted = lastOf(query[name]);
      return wanted === undefined || matches(template, wanted);
    }),
  );
  const found = page(
    chosen.map((template) => templateNode(template, query)),
    query,
    address,
  );
  const asked = lastOf(query.summary);
  return asked === undefined ? found : { ...found, summary: summaryOf(asked, chosen.length, templates) };
}

/** Returns the summary of the list: the total count by default. */
function summaryOf(asked: string, found: number, all: readonly Template[]): Record<string, unknown> {
  const known: Record<string, unknown> = {
    total_count: found,
    message_template_count: all.length,
    message_template_limit: TEMPLATES_MOST,
    are_translations_complete: true,
  };
  const words = asked.split(',').map((word) => word.trim());
  const chosen = words.filter((word) => Object.hasOwn(known, word));
  return Object.fromEntries((chosen.length ? chosen : ['total_count']).map((word) => [word, known[word]]));
}

/** `GET /{template id}`: the requested fields of a template. */
export const templateNode = (template: Template, query: QueryParameters) =>
  selectFields(
    { ...EMPTY_FIELDS, ...template },
    lastOf(query.fields),
    DEFAULT_FIELDS,
    'WhatsAppMessageTemplate',
  );
