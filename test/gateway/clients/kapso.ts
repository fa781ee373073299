import { GraphApiError, WhatsAppClient } from '@kapso/whatsapp-cloud-api';
import { normalizeWebhook, verifySignature } from '@kapso/whatsapp-cloud-api/server';
import { BODY, FILE, LINK, PIN, PROFILE, thrownBy, type PublishedClient } from './published-client';

/** Its base address is an option. */
export const kapso: PublishedClient = {
  name: '@kapso/whatsapp-cloud-api',
  verifies: true,

  connect({ url, phoneNumberId, token, to }) {
    const { messages } = new WhatsAppClient({ baseUrl: url, accessToken: token });
    const base = { phoneNumberId, to };
    const id = (answer: { messages: { id: string }[] }) => answer.messages[0]?.id;
    const link = { link: LINK };
    return {
      messages: {
        text: async () => id(await messages.sendText({ ...base, body: 'Hello', previewUrl: true })),
        image: async () =>
          id(await messages.sendImage({ ...base, image: { ...link, caption: 'A caption' } })),
        video: async () => id(await messages.sendVideo({ ...base, video: link })),
        audio: async () =>
          id(await messages.sendAudio({ ...base, audio: { id: '2762702990552401', voice: true } })),
        document: async () =>
          id(await messages.sendDocument({ ...base, document: { ...link, filename: 'invoice.pdf' } })),
        sticker: async () => id(await messages.sendSticker({ ...base, sticker: link })),
        location: async () =>
          id(
            await messages.sendLocation({
              ...base,
              location: { latitude: -23.5, longitude: -46.6, name: 'Shop' },
            }),
          ),
        contacts: async () =>
          id(
            await messages.sendContacts({
              ...base,
              contacts: [
                {
                  name: { formattedName: 'Ana Silva', firstName: 'Ana' },
                  phones: [{ phone: '+12025550123' }],
                },
              ],
            }),
          ),
        reaction: async () =>
          id(await messages.sendReaction({ ...base, reaction: { messageId: 'wamid.1', emoji: '👍' } })),
        template: async () =>
          id(
            await messages.sendTemplate({
              ...base,
              template: { name: 'hello_world', language: { code: 'en_US' } },
            }),
          ),
        'template with variables': async () =>
          id(
            await messages.sendTemplate({
              ...base,
              template: {
                name: 'order_update',
                language: { code: 'en_US', policy: 'deterministic' },
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
            }),
          ),
        buttons: async () =>
          id(
            await messages.sendInteractiveButtons({
              ...base,
              header: { type: 'image', image: link },
              bodyText: 'Will you come?',
              footerText: 'Shop',
              buttons: [
                { id: 'yes', title: 'Yes' },
                { id: 'no', title: 'No' },
              ],
            }),
          ),
        list: async () =>
          id(
            await messages.sendInteractiveList({
              ...base,
              bodyText: 'When?',
              buttonText: 'Choose',
              sections: [{ title: 'Friday', rows: [{ id: '1', title: 'Morning', description: '9 to 12' }] }],
            }),
          ),
        'link button': async () =>
          id(
            await messages.sendInteractiveCtaUrl({
              ...base,
              bodyText: 'Look',
              parameters: { displayText: 'Open', url: 'https://example.com' },
            }),
          ),
        'location request': async () =>
          id(
            await messages.sendInteractiveLocationRequest({
              ...base,
              bodyText: 'Where are you?',
              parameters: { requestMessage: 'Where are you?' },
            }),
          ),
        flow: async () =>
          id(
            await messages.sendInteractiveFlow({
              ...base,
              bodyText: 'Fill this in',
              parameters: { flowId: '123', flowCta: 'Open', flowToken: 'token' },
            }),
          ),
        product: async () =>
          id(
            await messages.sendInteractiveProduct({
              ...base,
              bodyText: 'Look',
              catalogId: '1',
              productRetailerId: '2',
            }),
          ),
        'product list': async () =>
          id(
            await messages.sendInteractiveProductList({
              ...base,
              header: { type: 'text', text: 'New' },
              bodyText: 'Look',
              catalogId: '1',
              sections: [{ title: 'New', productItems: [{ productRetailerId: '2' }] }],
            }),
          ),
        catalog: async () =>
          id(
            await messages.sendInteractiveCatalogMessage({
              ...base,
              bodyText: 'Look',
              parameters: { thumbnailProductRetailerId: '2' },
            }),
          ),
      },
      markAsRead: async (messageId) =>
        (await messages.markRead({ phoneNumberId, messageId, typingIndicator: { type: 'text' } })).success,
      refused: async (other) => {
        const error = await thrownBy(() => messages.sendText({ phoneNumberId, to: other, body: 'Hello' }));
        if (!(error instanceof GraphApiError)) throw error;
        return { code: Number(error.code), details: error.details };
      },
    };
  },

  manage({ url, phoneNumberId, accountId, token }) {
    const { media, phoneNumbers, templates } = new WhatsAppClient({ baseUrl: url, accessToken: token });
    const account = { businessAccountId: accountId };
    const line = { phoneNumberId };
    const name = 'order_by_kapso';
    let templateId = '';
    let mediaId = '';
    return {
      'create a template': async () => {
        const created = await templates.create({
          ...account,
          name,
          language: 'en_US',
          category: 'UTILITY',
          parameterFormat: 'POSITIONAL',
          components: [BODY],
        });
        templateId = created.id;
        return created;
      },
      'read why a template is refused': async () => {
        const error = await thrownBy(() =>
          templates.create({ ...account, name, language: 'en_US', category: 'OTHER', components: [BODY] }),
        );
        if (!(error instanceof GraphApiError)) throw error;
        return [error.code, error.errorSubcode];
      },
      'list templates': () => templates.list({ ...account, status: 'PENDING', limit: 5 }),
      'get a template': () => templates.get({ ...account, templateId, fields: 'name,status,components' }),
      'get a template without fields': () => templates.get({ ...account, templateId }),
      'delete a template': () => templates.delete({ ...account, name, language: 'en_US' }),
      'request a code': () => phoneNumbers.requestCode({ ...line, codeMethod: 'SMS', language: 'en_US' }),
      'verify a code': () => phoneNumbers.verifyCode({ ...line, code: '123456' }),
      'register a number': () => phoneNumbers.register({ ...line, pin: PIN }),
      'deregister a number': () => phoneNumbers.deregister(line),
      'register a number again': () => phoneNumbers.register({ ...line, pin: PIN }),
      'read settings': () => phoneNumbers.settings.get(line),
      'edit the profile': () => phoneNumbers.businessProfile.update({ ...line, ...PROFILE }),
      'read the profile': () =>
        phoneNumbers.businessProfile.get({ ...line, fields: 'about,address,email,websites,vertical' }),
      'upload a file': async () => {
        const uploaded = await media.upload({
          ...line,
          type: FILE.type as never,
          file: FILE,
          fileName: FILE.name,
        });
        mediaId = uploaded.id;
        return uploaded;
      },
      'describe a file': () => media.get({ ...line, mediaId }),
      'delete a file': () => media.delete({ ...line, mediaId }),
    };
  },

  async read({ body, headers }, secret) {
    const signatureHeader = String(headers['x-hub-signature-256']);
    if (!verifySignature({ appSecret: secret, rawBody: body, signatureHeader }))
      throw new Error('The signature is wrong');
    const { messages, statuses } = normalizeWebhook(JSON.parse(body));
    const [message] = messages;
    const [status] = statuses;
    if (message) return { from: String(message.from), text: String(message.text?.body) };
    return { id: String(status?.id), status: String(status?.status) };
  },

  // It has no part for the handshake: its documentation compares the token by hand.
  challenge: async (query) => query['hub.challenge'] ?? '',
};
