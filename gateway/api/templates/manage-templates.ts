import { type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import {
  callbackIsTheGateways,
  lineNotConfigured,
  sharedBusinessAccount,
  templateNotFound,
  tooManyPlatformReads,
} from '../../errors';
import { createTemplate, deleteTemplate, editTemplate, templateById } from '../../management/templates';
import { actorOf } from '../access/actor';
import { operation, type ApiDeps, type Operation } from '../operation';
import { BAD_QUERY, FORWARDED } from '../refusals';
import { accountOf, forward, givenOf, NODE, sendText, SUCCESS, textQuery } from '../management/forward';
import { issuesOfCreation } from '../../templates/rules/template-issues';
import { templateRefusal } from '../../templates/template-refusal';
import { withMember } from '../../cloud-api/json/exact-json';
import { type ParsedBody } from '../http/parse-body';

const Created = Type.Object(
  { id: Type.String(), status: Type.String(), category: Type.String() },
  { additionalProperties: true },
);

const ofUnchanged = () => [sharedBusinessAccount(), templateNotFound(), lineNotConfigured(), ...FORWARDED];
const refusals = () =>
  [templateRefusal(issuesOfCreation({ name: 'Order ready' }, null)) ?? [], ...ofUnchanged()].flat();

const components = [
  { type: 'BODY', text: 'Hello {{1}}, your order is ready.', example: { body_text: [['Ana']] } },
];

export const createMessageTemplate = operation('post /{account_id}/message_templates', {
  tag: 'Templates',
  id: 'createMessageTemplate',
  scope: 'manage',
  rate: 'changes',
  summary: 'Create a template',
  description:
    'Submits a template for review. What the platform would refuse is refused at once, with all reasons; `error_data.warnings` of the answer has what it will probably refuse. A creation whose answer was lost is looked up in the platform’s list and never sent again.',
  body: {
    schema: NODE,
    examples: {
      text: { value: { name: 'order_ready', language: 'en_US', category: 'UTILITY', components } },
    },
  },
  answers: { 200: { description: 'The platform has the template.', schema: Created } },
  refusals,
  keepsPlatformStatus: true,
  handler: ofAccount(async (deps, request) => {
    const { line, token } = request;
    const { answer, warnings } = await createTemplate(
      deps,
      actorOf(request),
      line,
      request.body as ParsedBody,
    );
    if (!warnings.length || token.answers === 'platform') return answer;
    return withMember(answer, 'error_data', JSON.stringify({ warnings }));
  }),
});

export const deleteMessageTemplate = operation('delete /{account_id}/message_templates', {
  tag: 'Templates',
  id: 'deleteMessageTemplate',
  scope: 'manage',
  rate: 'changes',
  summary: 'Delete a template',
  description:
    'Deletes a template in all its languages, or with `hsm_id` in one. Its name cannot be used again for 30 days.',
  query: textQuery({
    name: 'The name of the template.',
    hsm_id: 'The id of the template in one language.',
    hsm_ids: 'Several ids, as a JSON list.',
  }),
  answers: { 200: { description: 'The template was deleted.', schema: SUCCESS } },
  refusals: () => [BAD_QUERY, ...ofUnchanged()],
  keepsPlatformStatus: true,
  handler: ofAccount((deps, request) => {
    const query = givenOf(request, ['name', 'hsm_id', 'hsm_ids']);
    return deleteTemplate(deps, actorOf(request), request.line, query);
  }),
});

export const getMessageTemplate = operation('get /{account_id}/message_templates/{template_id}', {
  tag: 'Templates',
  id: 'getMessageTemplate',
  scope: 'manage:read',
  rate: 'reads',
  summary: 'Read a template',
  description: 'Returns one template in the platform’s format, as `GET /{object_id}` with its id does.',
  query: textQuery({ fields: 'The fields to return, separated by commas.' }),
  answers: { 200: { description: 'The template.', schema: NODE } },
  refusals: () => [BAD_QUERY, templateNotFound(), lineNotConfigured(), tooManyPlatformReads(5), ...FORWARDED],
  keepsPlatformStatus: true,
  handler: ofAccount((deps, request) => readTemplate(deps, request, templateIdIn(request))),
});

export const editMessageTemplate = operation('post /{account_id}/message_templates/{template_id}', {
  tag: 'Templates',
  id: 'editMessageTemplate',
  scope: 'manage',
  rate: 'changes',
  summary: 'Edit a template',
  description: 'Edits a template, as `POST /{object_id}` with its id does.',
  body: { schema: NODE, examples: { text: { value: { components } } } },
  answers: { 200: { description: 'The edit waits for review.', schema: SUCCESS } },
  refusals,
  keepsPlatformStatus: true,
  handler: ofAccount((deps, request) => edit(deps, request, templateIdIn(request))),
});

/** `POST /{id}`: edits a template, or sets the PIN or the display name of the line's number. */
export const postObject = operation('post /{object_id}', {
  tag: 'Templates',
  id: 'postObject',
  scope: 'manage',
  rate: 'changes',
  summary: 'Edit a template by its id',
  description:
    'Edits a template: its components as a whole, or its category. With the id of your line, sets the PIN of two-step verification (`pin`), which the gateway neither stores nor logs, or requests another display name (`new_display_name`).',
  body: {
    schema: NODE,
    isOptional: true,
    examples: {
      template: { summary: 'Edit a template', value: { components } },
      pin: { summary: 'Set the PIN', value: { pin: '123456' } },
    },
  },
  query: textQuery({
    pin: 'The six digits, if not in the body.',
    new_display_name: 'The display name, if not in the body. The platform reviews it.',
  }),
  answers: { 200: { description: 'The change was made, or waits for review.', schema: SUCCESS } },
  refusals: () => [callbackIsTheGateways(), ...refusals()],
  keepsPlatformStatus: true,
  handler: (deps) => async (request, reply) => {
    const { object_id: id = '' } = request.params as Record<string, string>;
    if (deps.lines.byTid(id)?.id !== request.line.id) return sendText(reply, await edit(deps, request, id));
    // A callback of the number's own would take the events away from the gateway.
    const { value = {} } = (request.body ?? {}) as Partial<ParsedBody>;
    if (value.webhook_configuration !== undefined) throw callbackIsTheGateways();
    const path = request.line.phoneNumberId;
    const query = givenOf(request, ['pin', 'new_display_name']);
    return sendText(reply, await forward(deps, request, { method: 'post', path, query }));
  },
});

/** The handler of an operation below the line's business account, which answers with this text. */
function ofAccount(run: (deps: ApiDeps, request: FastifyRequest) => Promise<string>): Operation['handler'] {
  return (deps) => async (request, reply) => {
    accountOf(deps, request);
    return sendText(reply, await run(deps, request));
  };
}

const templateIdIn = ({ params }: FastifyRequest): string => (params as { template_id: string }).template_id;

const edit = (deps: ApiDeps, request: FastifyRequest, id: string): Promise<string> => {
  const { raw = Buffer.from('{}'), value = {} } = (request.body ?? {}) as Partial<ParsedBody>;
  return editTemplate(deps, actorOf(request), request.line, id, { raw, value });
};

/** A template of the line from the platform. @throws Refusal if it is not one of its own */
export async function readTemplate(deps: ApiDeps, request: FastifyRequest, id: string): Promise<string> {
  if (!(await templateById(deps, request.line, id))) throw templateNotFound();
  return forward(deps, request, { method: 'get', path: id, query: givenOf(request, ['fields']) });
}
