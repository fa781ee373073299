/**
 * `POST` and `DELETE /{WABA id}/message_templates`, `POST /{template id}`: create, edit and delete templates.
 * Created and edited templates wait for a review, which the user decides under /sandbox.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/template-management
 */
import { randomInt } from 'node:crypto';
import { parameterInvalid, parameterMissing, templateFault } from '../platform/errors';
import { lastOf, type QueryParameters } from '../platform/read';
import { isObject, type JsonObject } from '../platform/json';
import { validateCategory, validateComponents, validateNewTemplate } from './validate-new-template';
import { type Template } from './starter-templates';
import { announceComponents, announceStatus } from './template-life';
import { templateId, type TemplateDeps } from './template-store';
import { TEMPLATES_MOST } from './list-templates';

/** Returns the platform's answer; `body` is undefined if the request was not JSON. */
export function createTemplate(deps: TemplateDeps, wabaId: string, body: unknown): JsonObject {
  const wanted = validateNewTemplate(isObject(body) ? body : {});
  const { name, language, category } = wanted;
  const templates = deps.templates.of(wabaId);
  if (templates.some((each) => each.name === name && each.language === language)) {
    throw templateFault(
      2388024,
      'Content in This Language Already Exists',
      `There is already ${language} content for this template. You can create a new template and try again.`,
    );
  }
  if (templates.length >= TEMPLATES_MOST) {
    throw templateFault(
      2388019,
      'Message Template Limit Exceeded',
      'You have exceeded the maximum number of message templates you can have for this WhatsApp business account.',
    );
  }
  const template: Template = {
    ...wanted,
    status: 'PENDING',
    quality_score: { score: 'UNKNOWN', date: Math.floor(deps.now().getTime() / 1000) },
    rejected_reason: 'NONE',
    id: templateId(randomInt(2 ** 48 - 1)),
  };
  deps.templates.add(wabaId, template);
  return { id: template.id, status: template.status, category };
}

/** Edits a template; refuses one that is in review or disabled. */
export function editTemplate(
  deps: TemplateDeps,
  wabaId: string,
  template: Template,
  body: unknown,
): JsonObject {
  const change = isObject(body) ? body : {};
  if (!['APPROVED', 'REJECTED', 'PAUSED'].includes(template.status)) {
    throw templateFault(
      2388039,
      "Message Template Status Can't Be Changed",
      "The status for this message template can't be changed. You can only delete or add templates.",
    );
  }
  if (change.components === undefined && change.category === undefined) throw parameterMissing('components');
  const category = change.category === undefined ? template.category : validateCategory(change.category);
  if (category !== template.category && template.status === 'APPROVED') {
    throw parameterInvalid('The category of an approved template cannot be edited');
  }
  const components =
    change.components === undefined ? template.components : validateComponents(change.components);
  Object.assign(template, { components, category, status: 'PENDING', rejected_reason: 'NONE' });
  announceStatus(deps, wabaId, template, 'PENDING', 'NONE');
  announceComponents(deps, wabaId, template);
  return { success: true, id: template.id, name: template.name, category };
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
    deps.templates.remove(wabaId, template);
    announceStatus(deps, wabaId, template, 'DELETED', 'NONE');
  }
  return { success: true };
}
