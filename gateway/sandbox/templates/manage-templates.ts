/**
 * `POST` and `DELETE /{WABA id}/message_templates`, `POST /{template id}`: create, edit and delete templates.
 * Created and edited templates wait for a review, which the user decides under /sandbox, one by one or by a rule.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/template-management
 */
import { randomInt } from 'node:crypto';
import { type TemplateIssue } from '../../templates/rules/report';
import { issuesOfCreation, issuesOfEdit } from '../../templates/rules/template-issues';
import { parameterMissing, templateFault, templateRefused, tooManyCreations } from '../platform/errors';
import { lastOf, type QueryParameters } from '../platform/read';
import { isObject, type JsonObject } from '../platform/json';
import { type Template, type TemplateCategory } from './starter-templates';
import { storedComponents } from './stored-components';
import { libraryComponents } from './template-library';
import { announceComponents, announceStatus } from './template-life';
import { type ReviewedDeps } from './template-review';
import { templateId, type TemplateDeps } from './template-store';
import { TEMPLATES_MOST } from './list-templates';

const HOUR = 60 * 60 * 1000;
/** The platform's limit of creations within an hour for one business account. */
const CREATIONS_MOST = 100;

/** Returns the platform's answer; `body` is undefined if the request was not JSON. */
export function createTemplate(deps: ReviewedDeps, wabaId: string, body: unknown): JsonObject {
  const given = isObject(body) ? body : {};
  const now = deps.now().getTime();
  const templates = deps.templates.of(wabaId);
  const deleted = deps.templates.deletedOf(wabaId);
  if (deps.templates.createdSince(wabaId, now - HOUR) >= CREATIONS_MOST) throw tooManyCreations();
  refuse(issuesOfCreation(given, { now, templates, deleted, most: TEMPLATES_MOST }));
  const category = categoryOf(given.category);
  const { library_template_name: libraryName } = given;
  const isOfLibrary = typeof libraryName === 'string';
  const components = storedComponents(isOfLibrary ? libraryComponents(given) : given.components, category);
  const template: Template = {
    name: String(given.name),
    language: String(given.language),
    category,
    parameter_format: formatOf(given.parameter_format, components),
    components,
    // Texts of the library are reviewed already.
    status: isOfLibrary ? 'APPROVED' : 'PENDING',
    ...(isOfLibrary && { library_template_name: libraryName }),
    quality_score: { score: 'UNKNOWN', date: Math.floor(now / 1000) },
    rejected_reason: 'NONE',
    id: templateId(randomInt(2 ** 48 - 1)),
  };
  deps.templates.add(wabaId, template);
  deps.templates.countCreation(wabaId, now);
  if (!isOfLibrary) deps.reviews.start(wabaId, template);
  return { id: template.id, status: template.status, category };
}

/** Like the platform, names only the first issue. */
function refuse(issues: readonly TemplateIssue[]): void {
  const refused = issues.find(({ level }) => level === 'refused');
  if (refused) throw templateRefused(refused);
}

const categoryOf = (given: unknown) => String(given).toUpperCase() as TemplateCategory;

/** Without a format, the variables show it. */
function formatOf(given: unknown, components: unknown): Template['parameter_format'] {
  if (typeof given === 'string') return given.toUpperCase() as Template['parameter_format'];
  return /\{\{\s*\d*[a-z_]/.test(JSON.stringify(components)) ? 'NAMED' : 'POSITIONAL';
}

/** Edits a template, which then waits for its review again. */
export function editTemplate(
  deps: ReviewedDeps,
  wabaId: string,
  template: Template,
  body: unknown,
): JsonObject {
  const change = isObject(body) ? body : {};
  const now = deps.now().getTime();
  const edits = deps.templates.editsOf(template);
  refuse(issuesOfEdit(change, { ...template, parameterFormat: template.parameter_format, edits }, now));
  const category = change.category ? categoryOf(change.category) : template.category;
  const components = change.components ? storedComponents(change.components, category) : template.components;
  if (template.status === 'APPROVED') deps.templates.countEdit(template, now);
  Object.assign(template, { components, category, status: 'PENDING', rejected_reason: 'NONE' });
  announceStatus(deps, wabaId, template, 'PENDING', 'NONE');
  announceComponents(deps, wabaId, template);
  deps.reviews.start(wabaId, template);
  return { success: true };
}

/** Deletes a template in all its languages by name, or in one language with `hsm_id`. */
export function deleteTemplates(deps: TemplateDeps, wabaId: string, query: QueryParameters): JsonObject {
  const name = lastOf(query.name);
  const id = lastOf(query.hsm_id);
  if (name === undefined) throw parameterMissing('name');
  const found = deps.templates
    .of(wabaId)
    .filter((each) => each.name === name && (id === undefined || each.id === id));
  if (found.length === 0) {
    throw templateFault(
      2593002,
      'Message Template Not Found',
      'The message template was not found: it was deleted already, or its name is another.',
    );
  }
  for (const template of found) {
    deps.templates.remove(wabaId, template, deps.now().getTime());
    announceStatus(deps, wabaId, template, 'DELETED', 'NONE');
  }
  return { success: true };
}
