// Its manifest lets only `import` find it, and these tests are CommonJS.
import Client, { MessageType } from '../../../node_modules/@great-detail/whatsapp/dist/index.js';
import { LINK, thrownBy, type PublishedClient } from './published-client';

type Options = Parameters<Client['message']['createMessage']>[0];

/** The error of its HTTP library, which keeps the body of the answer. */
interface HttpFailure {
  data?: { error?: { code: number; error_data?: { details?: string } } };
}

/**
 * Its base address is an option. So is the version, which ends in a slash here: without one, the client leaves it out of
 * its addresses.
 */
export const greatDetail: PublishedClient = {
  name: '@great-detail/whatsapp',
  verifies: true,

  connect({ url, phoneNumberId, token, to }) {
    const client = new Client({
      baseUrl: url,
      graphVersion: 'v23.0/',
      request: { headers: { Authorization: `Bearer ${token}` }, retry: 0 },
    });
    const send = (type: MessageType, part: unknown) => async () => {
      const options = { phoneNumberID: phoneNumberId, to, type, [type]: part } as unknown as Options;
      return (await client.message.createMessage(options).json()).messages[0]?.id;
    };
    const body = { text: 'Look' };
    return {
      messages: {
        text: send(MessageType.Text, { body: 'Hello', preview_url: true }),
        image: send(MessageType.Image, { link: LINK, caption: 'A caption' }),
        video: send(MessageType.Video, { link: LINK }),
        audio: send(MessageType.Audio, { id: '2762702990552401' }),
        document: send(MessageType.Document, { link: LINK, filename: 'invoice.pdf' }),
        sticker: send(MessageType.Sticker, { link: LINK }),
        location: send(MessageType.Location, { latitude: -23.5, longitude: -46.6, name: 'Shop' }),
        contacts: send(MessageType.Contacts, [{ name: { formatted_name: 'Ana Silva', first_name: 'Ana' } }]),
        reaction: send(MessageType.Reaction, { message_id: 'wamid.1', emoji: '👍' }),
        template: send(MessageType.Template, { name: 'hello_world', language: { code: 'en_US' } }),
        buttons: send(MessageType.Interactive, {
          type: 'button',
          body,
          action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
        }),
        list: send(MessageType.Interactive, {
          type: 'list',
          body,
          action: {
            button: 'Choose',
            sections: [{ title: 'Friday', rows: [{ id: '1', title: 'Morning' }] }],
          },
        }),
      },
      markAsRead: async (messageId) =>
        (
          await client.message
            .createStatus({ phoneNumberID: phoneNumberId, message_id: messageId, status: 'read' })
            .json()
        ).success === true,
      refused: async (other) => {
        const options = {
          phoneNumberID: phoneNumberId,
          to: other,
          type: MessageType.Text,
          text: { body: 'Hello' },
        } as unknown as Options;
        const error = await thrownBy(() => client.message.createMessage(options).json());
        const { data } = error as HttpFailure;
        if (!data?.error) throw error;
        return { code: data.error.code, details: data.error.error_data?.details };
      },
    };
  },

  async read({ method, body, headers }, secret) {
    const event = await new Client().webhook.eventNotification({
      method,
      query: {},
      body,
      headers: headers as Record<string, string>,
    });
    await event.verifySignature(secret);
    const value = JSON.parse(JSON.stringify(event.eventNotification)).entry[0].changes[0].value;
    const [message] = value.messages ?? [];
    const [status] = value.statuses ?? [];
    if (message) return { from: message.from, text: message.text.body };
    return { id: status.id, status: status.status };
  },

  async challenge(query, verifyToken) {
    const asked = await new Client().webhook.register({ method: 'GET', query, body: undefined, headers: {} });
    if (asked.verifyToken !== verifyToken) throw new Error('The verify token is wrong');
    return asked.accept();
  },
};
