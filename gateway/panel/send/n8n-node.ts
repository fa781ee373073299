import { inside, objects, textOf, type Json } from '../../cloud-api/json/json-value';

/**
 * A message as an n8n node: text that becomes a node when pasted into a workflow. Uses the field names of the
 * published node (README, "Operations").
 * @param body body of a send
 */
export const n8nNode = (body: Json): string =>
  JSON.stringify(
    {
      nodes: [
        {
          parameters: nodeParameters(body),
          type: 'n8n-nodes-messaging-gateway.messagingGateway',
          typeVersion: 1,
          position: [0, 0],
          name: 'Messaging Gateway',
        },
      ],
      connections: {},
    },
    null,
    2,
  );

export const nodeParameters = (body: Json): Json => ({
  resource: 'message',
  operation: 'send',
  to: textOf(body.to),
  ...contentOf(body),
});

function contentOf(body: Json): Json {
  const type = textOf(body.type);
  const content = inside(body, type);
  switch (type) {
    case 'text':
      return { messageType: type, text: textOf(content.body) };
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return { messageType: type, ...fileOf(content) };
    case 'template':
      return { messageType: type, ...templateOf(content) };
    case 'interactive':
      return interactiveOf(content) ?? asJson(body);
    default:
      return asJson(body);
  }
}

/** JSON for messages that the node has no fields for. */
const asJson = (body: Json): Json => ({
  messageType: 'json',
  messageJson: JSON.stringify({ type: body.type, [textOf(body.type)]: body[textOf(body.type)] }, null, 2),
});

const fileOf = ({ id, link, caption, filename }: Json): Json => ({
  ...(id === undefined ? { mediaSource: 'link', mediaLink: link } : { mediaSource: 'id', mediaId: id }),
  ...(caption !== undefined && { caption }),
  ...(filename !== undefined && { fileName: filename }),
});

function interactiveOf(content: Json): Json | null {
  const action = inside(content, 'action');
  const options = { ...headerOf(inside(content, 'header')), ...footerOf(content) };
  const around = {
    body: textOf(inside(content, 'body').text),
    ...(Object.keys(options).length > 0 && { options }),
  };
  if (content.type === 'button')
    return {
      messageType: 'buttons',
      ...around,
      buttons: {
        button: objects(action.buttons).map((one) => {
          const { title, id } = inside(one, 'reply');
          return { title, id };
        }),
      },
    };
  const parameters = inside(action, 'parameters');
  if (content.type === 'cta_url')
    return {
      messageType: 'linkButton',
      ...around,
      linkLabel: parameters.display_text,
      linkUrl: parameters.url,
    };
  if (content.type === 'flow') return { messageType: 'flow', ...around, ...flowOf(parameters, options) };
  if (content.type !== 'list') return null;
  return {
    messageType: 'list',
    ...around,
    listButton: textOf(action.button),
    sections: {
      section: objects(action.sections).map(({ title, rows }) => ({
        ...(title !== undefined && { title }),
        rows: { row: objects(rows) },
      })),
    },
  };
}

const footerOf = (content: Json): Json => {
  const footer = textOf(inside(content, 'footer').text);
  return footer ? { footer } : {};
};

function headerOf(header: Json): Json {
  const type = textOf(header.type);
  if (!type) return {};
  if (type === 'text') return { header: textOf(header.text) };
  const { id, link } = inside(header, type);
  return { [`header${type.charAt(0).toUpperCase()}${type.slice(1)}`]: textOf(link ?? id) };
}

/** @param options common to all interactive messages */
function flowOf(parameters: Json, options: Json): Json {
  const screen = inside(parameters, 'flow_action_payload').screen;
  return {
    flow: textOf(parameters.flow_id ?? parameters.flow_name),
    flowLabel: parameters.flow_cta,
    options: {
      ...options,
      flowDraft: parameters.mode === 'draft',
      ...(screen !== undefined && { flowScreen: screen }),
    },
  };
}

function templateOf(template: Json): Json {
  return {
    template: { __rl: true, mode: 'name', value: textOf(template.name) },
    templateLanguage: textOf(inside(template, 'language').code),
    templateVariables: {
      mappingMode: 'defineBelow',
      schema: [],
      value: Object.fromEntries(objects(template.components).flatMap(valuesOf)),
    },
  };
}

/** The values of a template component, by field id in the node. */
function valuesOf(component: Json): [string, string][] {
  const part = textOf(component.type);
  return objects(component.parameters).map((parameter, index) => {
    const type = textOf(parameter.type);
    if (part === 'button')
      return type === 'coupon_code'
        ? [`button-${textOf(component.index)}-code`, textOf(parameter.coupon_code)]
        : [`button-${textOf(component.index)}-url`, textOf(parameter.text)];
    const { link, id } = inside(parameter, type);
    if (type !== 'text') return [`${part}-${type}-link`, textOf(link ?? id)];
    const name = textOf(parameter.parameter_name);
    if (part === 'body') return [name || `body-${index + 1}`, textOf(parameter.text)];
    return [`${part}-${name || index + 1}`, textOf(parameter.text)];
  });
}
