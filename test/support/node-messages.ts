import type { INodeParameters } from 'n8n-workflow';
import { send } from '../../nodes/MessagingGateway/actions/message/send.operation';

const types = send.fields.find(({ name }) => name === 'messageType')?.options ?? [];

/** Every value of Message Type, as the node offers them. */
export const NODE_TYPES = types.map((type) => ('value' in type ? String(type.value) : type.name));

interface NodeMessage {
  /** The fields of the node besides Message Type. */
  entered: INodeParameters;
  /** The message that the gateway gets, without the recipient. */
  sent: Record<string, unknown> & { type: string; interactive?: { type: string } };
}

const LINK = 'https://shop.example/file';
const interactive = (part: { type: string; [name: string]: unknown }): NodeMessage['sent'] => ({
  type: 'interactive',
  interactive: part,
});

/**
 * One message of each type that the node offers, which the sandbox accepts. Not `file`, which is sent as the type that
 * the file has.
 */
export const NODE_MESSAGES: Record<string, NodeMessage> = {
  text: {
    entered: { text: 'Hi *Ana*', options: { previewUrl: true, clientRef: 'order 1' } },
    sent: {
      type: 'text',
      text: { body: 'Hi *Ana*', preview_url: true },
      biz_opaque_callback_data: 'order 1',
    },
  },
  image: {
    entered: { mediaLink: LINK, caption: 'Look' },
    sent: { type: 'image', image: { link: LINK, caption: 'Look' } },
  },
  video: { entered: { mediaLink: LINK }, sent: { type: 'video', video: { link: LINK } } },
  audio: {
    entered: { mediaLink: LINK, options: { voice: true } },
    sent: { type: 'audio', audio: { link: LINK, voice: true } },
  },
  document: {
    entered: { mediaLink: LINK, fileName: 'a.pdf' },
    sent: { type: 'document', document: { link: LINK, filename: 'a.pdf' } },
  },
  sticker: { entered: { mediaLink: LINK }, sent: { type: 'sticker', sticker: { link: LINK } } },
  location: {
    entered: { latitude: '-23,5614', longitude: -46.6559, locationName: 'Shop', locationAddress: 'Street 1' },
    sent: {
      type: 'location',
      location: { latitude: -23.5614, longitude: -46.6559, name: 'Shop', address: 'Street 1' },
    },
  },
  contacts: {
    entered: {
      contacts: { contact: [{ name: 'Ana Maria Souza', phone: '+55 11 98765-4321', company: 'Shop' }] },
    },
    sent: {
      type: 'contacts',
      contacts: [
        {
          name: { formatted_name: 'Ana Maria Souza', first_name: 'Ana', last_name: 'Maria Souza' },
          phones: [{ phone: '+55 11 98765-4321', type: 'CELL', wa_id: '5511987654321' }],
          org: { company: 'Shop' },
        },
      ],
    },
  },
  reaction: {
    entered: { reactTo: 'wamid.in', emoji: '' },
    sent: { type: 'reaction', reaction: { message_id: 'wamid.in', emoji: '' } },
  },
  template: {
    entered: {
      template: { __rl: true, mode: 'list', value: 'order_update|en_US' },
      templateVariables: {
        mappingMode: 'defineBelow',
        value: { 'body-1': 'Ana', 'body-2': 'A-1042' },
        schema: [],
      },
    },
    sent: {
      type: 'template',
      template: {
        name: 'order_update',
        language: { code: 'en_US' },
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'Ana' },
              { type: 'text', text: 'A-1042' },
            ],
          },
        ],
      },
    },
  },
  buttons: {
    entered: { body: 'When?', buttons: { button: [{ title: 'Today', id: 'today' }] } },
    sent: interactive({
      type: 'button',
      body: { text: 'When?' },
      action: { buttons: [{ type: 'reply', reply: { id: 'today', title: 'Today' } }] },
    }),
  },
  list: {
    entered: {
      body: 'Which?',
      listButton: 'See',
      choicesFrom: 'array',
      choicesArray: '[{"title": "9 to 10", "id": "slot_9"}]',
      titleField: 'title',
      idField: 'id',
      descriptionField: 'description',
      sectionField: '',
    },
    sent: interactive({
      type: 'list',
      body: { text: 'Which?' },
      action: { button: 'See', sections: [{ rows: [{ id: 'slot_9', title: '9 to 10' }] }] },
    }),
  },
  linkButton: {
    entered: { body: 'See', linkLabel: 'Open', linkUrl: LINK, options: { headerImage: LINK } },
    sent: interactive({
      type: 'cta_url',
      header: { type: 'image', image: { link: LINK } },
      body: { text: 'See' },
      action: { name: 'cta_url', parameters: { display_text: 'Open', url: LINK } },
    }),
  },
  locationRequest: {
    entered: { body: 'Where?' },
    sent: interactive({
      type: 'location_request_message',
      body: { text: 'Where?' },
      action: { name: 'send_location' },
    }),
  },
  flow: {
    entered: { body: 'Book', flowLabel: 'Book a table', flow: '1234567890' },
    sent: interactive({
      type: 'flow',
      body: { text: 'Book' },
      action: {
        name: 'flow',
        parameters: { flow_message_version: '3', flow_id: '1234567890', flow_cta: 'Book a table' },
      },
    }),
  },
  addressRequest: {
    entered: { body: 'Where?', addressCountry: ' in ', options: { footer: 'Bye' } },
    sent: interactive({
      type: 'address_message',
      body: { text: 'Where?' },
      footer: { text: 'Bye' },
      action: { name: 'address_message', parameters: { country: 'IN' } },
    }),
  },
  products: {
    entered: {
      productsShown: 'several',
      body: 'Look',
      catalogId: '194',
      productsHeader: 'Cakes',
      productIds: 'cake, pie',
    },
    sent: interactive({
      type: 'product_list',
      header: { type: 'text', text: 'Cakes' },
      body: { text: 'Look' },
      action: {
        catalog_id: '194',
        sections: [{ product_items: [{ product_retailer_id: 'cake' }, { product_retailer_id: 'pie' }] }],
      },
    }),
  },
  json: {
    entered: { messageJson: '{"type": "text", "text": {"body": "As JSON"}}' },
    sent: { type: 'text', text: { body: 'As JSON' } },
  },
};
