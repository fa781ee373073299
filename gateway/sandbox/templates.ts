/**
 * `GET /{WABA id}/message_templates`: the account's templates in pages, filtered as upstream filters.
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates
 */
import { lastOf, page, type Query, selectFields } from './graph-read';
import { type Template } from './starter-templates';

const DEFAULT_FIELDS = ['name', 'parameter_format', 'components', 'language', 'status', 'category'];

/** Each keeps the templates that have exactly this value. */
const FILTERS = ['name', 'language', 'status', 'category'] as const;

export function listTemplates(templates: readonly Template[], query: Query, address: string) {
  const chosen = templates.filter((template) =>
    FILTERS.every((filter) => {
      const wanted = lastOf(query[filter]);
      return wanted === undefined || template[filter].toLowerCase() === wanted.toLowerCase();
    }),
  );
  return page(
    chosen.map((template) => templateNode(template, query)),
    query,
    address,
  );
}

/** `GET /{template id}`: the template cut to the fields that are asked for. */
export const templateNode = (template: Template, query: Query) =>
  selectFields({ ...template }, lastOf(query.fields), DEFAULT_FIELDS, 'WhatsAppMessageTemplate');
