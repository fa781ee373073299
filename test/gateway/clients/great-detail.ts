// Its manifest lets only `import` find it, and these tests are CommonJS.
import Client, { MessageType } from '../../../node_modules/@great-detail/whatsapp/dist/index.js';
import { BODY, FILE, LINK, PROFILE, thrownBy, type Address, type PublishedClient } from './published-client';

type Options = Parameters<Client['message']['createMessage']>[0];

/** The error of its HTTP library, which keeps the body of the answer. */
interface HttpFailure {
  data?: { error?: { code: number; error_data?: { details?: string } } };
}

const ACCOUNT_FIELDS = ['name', 'currency', 'account_review_status'] as never;

/**
 * Its base address is an option. So is the version, which ends in a slash here: without one, the client leaves it out of
 * its addresses.
 */
const clientOf = ({ url, token }: Address) =>
  new Client({
    baseUrl: url,
    graphVersion: 'v23.0/',
    request: { headers: { Authorization: `Bearer ${token}` }, retry: 0 },
  });

export const greatDetail: PublishedClient = {
  name: '@great-detail/whatsapp',
  verifies: true,

  connect(address) {
    const client = clientOf(address);
    const { phoneNumberId, to } = address;
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

  manage(address) {
    const { template, phoneNumbers, businessProfile, conversationalAutomation, ...client } =
      clientOf(address);
    const { accountId } = address;
    const line = { phoneNumberID: address.phoneNumberId };
    const name = 'order_by_great_detail';
    let templateId = '';
    let mediaID = '';
    return {
      'create a template': async () => {
        const created = await template
          .create(accountId, {
            name,
            language: 'en_US',
            category: 'UTILITY',
            parameter_format: 'POSITIONAL',
            components: [BODY] as never,
          })
          .json();
        templateId = created.id;
        return created;
      },
      'list templates': () =>
        template
          .list(accountId, { status: 'PENDING', limit: 5, fields: ['name', 'status', 'category'] })
          .json(),
      'search templates': () =>
        template
          .list(accountId, {
            name_or_content: 'great_detail',
            category: ['UTILITY', 'MARKETING'],
            language: ['en_US', 'pt_BR'],
          })
          .json(),
      'get a template': () => template.get(templateId, { fields: ['name', 'status', 'components'] }).json(),
      'edit a template': async () => {
        const { data } = await template.list(accountId, { name_or_content: 'hello_world' }).json();
        const [approved] = data as unknown as { id: string }[];
        const components = [{ type: 'BODY', text: 'It is ready.' }] as never;
        return template.update(String(approved?.id), { components }).json();
      },
      'delete a template': () => template.delete(accountId, { name, hsm_id: templateId }).json(),
      'read an account': () =>
        client.whatsappBusinessAccount.get(accountId, { fields: ACCOUNT_FIELDS }).json(),
      'list phone numbers': () => phoneNumbers.listPhoneNumbers({ businessAccountID: accountId }).json(),
      'read a phone number': () =>
        phoneNumbers
          .getPhoneNumber({ ...line, fields: ['display_phone_number', 'status', 'throughput'] })
          .json(),
      'edit the profile': () => businessProfile.updateBusinessProfile({ ...line, ...PROFILE }).json(),
      'read the profile': () =>
        businessProfile.getBusinessProfile({ ...line, fields: ['about', 'email', 'websites'] }).json(),
      'set automation': () =>
        conversationalAutomation
          .setConversationalAutomation({
            ...line,
            enable_welcome_message: true,
            prompts: ['Hours?'],
          } as never)
          .json(),
      'subscribe an app': () =>
        client.subscribedApps.createSubscription({ businessAccountID: accountId }).json(),
      'list subscribed apps': () =>
        client.subscribedApps.listSubscriptions({ businessAccountID: accountId }).json(),
      'upload a file': async () => {
        const uploaded = await client.media
          .upload({ ...line, file: FILE, filename: FILE.name, mimeType: FILE.type })
          .json();
        mediaID = uploaded.id;
        return uploaded;
      },
      'describe a file': () => client.media.getURL({ ...line, mediaID }).json(),
      'delete a file': () => client.media.delete({ ...line, mediaID }).json(),
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
