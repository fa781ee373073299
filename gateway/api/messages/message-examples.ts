import { type MessageType } from '../../cloud-api/validate/message-request';
import { type Example } from '../operation';

/** The contact of the sandbox: an unassigned number. */
const TO = '12025550147';

const message = (type: MessageType, part: unknown) => ({
  messaging_product: 'chat',
  to: TO,
  type,
  [type]: part,
});

/** A publicly available file. */
const file = (name: string) => ({ link: `https://www.example.com/${name}` });

/**
 * A body of each kind that a sandbox line can send unchanged. The template comes first because it needs no open
 * window.
 */
export const MESSAGE_EXAMPLES: Record<string, Example> = {
  template: {
    summary: 'An approved template: can be sent at any time',
    value: message('template', { name: 'hello_world', language: { code: 'en_US' } }),
  },
  template_with_variables: {
    summary: 'A template with variables: one value for each {{1}}, {{2}} of its text',
    value: message('template', {
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
    }),
  },
  text: {
    summary: 'A text: within 24 hours after the contact wrote to you',
    value: message('text', { body: 'Your order is on its way.', preview_url: false }),
  },
  reply_buttons: {
    summary: 'A question with up to three buttons',
    value: message('interactive', {
      type: 'button',
      body: { text: 'Will you come on Friday?' },
      footer: { text: 'Demo Shop' },
      action: {
        buttons: [
          { type: 'reply', reply: { id: 'yes', title: 'Yes' } },
          { type: 'reply', reply: { id: 'no', title: 'No' } },
        ],
      },
    }),
  },
  link_button: {
    summary: 'A button that opens a web address',
    value: message('interactive', {
      type: 'cta_url',
      body: { text: 'Your order is on its way.' },
      action: {
        name: 'cta_url',
        parameters: { display_text: 'Track it', url: 'https://www.example.com/orders/A-1042' },
      },
    }),
  },
  location_request: {
    summary: 'A button that asks where the contact is',
    value: message('interactive', {
      type: 'location_request_message',
      body: { text: 'Where shall we deliver?' },
      action: { name: 'send_location' },
    }),
  },
  flow: {
    summary: 'A form (flow) of your account',
    value: message('interactive', {
      type: 'flow',
      body: { text: 'Choose a day for the delivery.' },
      action: {
        name: 'flow',
        parameters: { flow_message_version: '3', flow_id: '1037543291543636', flow_cta: 'Choose' },
      },
    }),
  },
  list: {
    summary: 'A list to choose from',
    value: message('interactive', {
      type: 'list',
      body: { text: 'When may we deliver?' },
      action: {
        button: 'Choose a time',
        sections: [
          {
            title: 'Friday',
            rows: [
              { id: 'friday-morning', title: 'Morning', description: '9 to 12' },
              { id: 'friday-evening', title: 'Evening', description: '18 to 21' },
            ],
          },
        ],
      },
    }),
  },
  image: {
    summary: 'An image from the web',
    value: message('image', { ...file('parcel.jpg'), caption: 'Your parcel' }),
  },
  video: {
    summary: 'A video from the web',
    value: message('video', { ...file('how-to.mp4'), caption: 'How it works' }),
  },
  audio: { summary: 'A sound from the web', value: message('audio', file('welcome.mp3')) },
  document: {
    summary: 'A document from the web',
    value: message('document', {
      ...file('invoice.pdf'),
      filename: 'Invoice 1042.pdf',
      caption: 'Your invoice',
    }),
  },
  sticker: { summary: 'A sticker from the web', value: message('sticker', file('thanks.webp')) },
  location: {
    summary: 'A place on the map',
    value: message('location', {
      latitude: -23.5613,
      longitude: -46.6565,
      name: 'Demo Shop',
      address: 'Avenida Paulista 1578, São Paulo',
    }),
  },
  contacts: {
    summary: 'A contact card',
    value: message('contacts', [
      {
        name: { formatted_name: 'Demo Shop', first_name: 'Demo' },
        phones: [{ phone: '+1 202-555-0123', type: 'WORK' }],
      },
    ]),
  },
  reaction: {
    summary: "An emoji under the contact's message",
    value: message('reaction', {
      message_id: 'wamid.HBgLMTIwMjU1NTAxNDcVAgASGBQzQTlBM0NBNUIzRDRDRDZFNjdFNwA=',
      emoji: '👍',
    }),
  },
  mark_as_read: {
    summary: 'Show a contact that you have read its message',
    value: {
      messaging_product: 'chat',
      status: 'read',
      message_id: 'wamid.HBgLMTIwMjU1NTAxNDcVAgASGBQzQTlBM0NBNUIzRDRDRDZFNjdFNwA=',
    },
  },
};
