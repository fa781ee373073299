import { WhatsAppAPI } from 'whatsapp-api-js';
import * as build from 'whatsapp-api-js/messages';
import { type ClientMessage, type GetParams, type PostData } from 'whatsapp-api-js/types';
import { FILE, LINK, type Address, type PublishedClient, type Read } from './published-client';

/** Its addresses are fixed; requests go through the `fetch` that it is given. */
const clientOf = ({ url, token }: Address) =>
  new WhatsAppAPI({
    token,
    secure: false,
    v: 'v22.0',
    ponyfill: {
      fetch: (address, init) => fetch(String(address).replace('https://graph.facebook.com', url), init),
    },
  });

export const whatsappApiJs: PublishedClient = {
  name: 'whatsapp-api-js',
  verifies: true,

  connect(address) {
    const client = clientOf(address);
    const { phoneNumberId, to } = address;
    const send = async (message: ClientMessage) => {
      const answer = await client.sendMessage(phoneNumberId, to, message);
      return 'messages' in answer ? answer.messages[0].id : undefined;
    };
    const { Interactive, Body, Header, Footer } = build;
    const messages: Record<string, ClientMessage> = {
      text: new build.Text('Hello', true),
      image: new build.Image(LINK, false, 'A caption'),
      'image by id': new build.Image('2762702990552401', true),
      video: new build.Video(LINK, false, 'A caption'),
      audio: new build.Audio(LINK),
      voice: new build.Audio('2762702990552401', true, true),
      document: new build.Document(LINK, false, 'A caption', 'invoice.pdf'),
      sticker: new build.Sticker(LINK),
      location: new build.Location(-46.6, -23.5, 'Shop', 'Paulista 1578'),
      contacts: new build.Contacts([
        new build.Name('Ana Silva', 'Ana'),
        new build.Phone('+12025550123', 'WORK'),
      ]),
      reaction: new build.Reaction('wamid.1', '👍'),
      'reaction taken back': new build.Reaction('wamid.1'),
      template: new build.Template('hello_world', 'en_US'),
      'template with variables': new build.Template(
        'order_update',
        new build.Language('en_US'),
        new build.BodyComponent(new build.BodyParameter('Ana'), new build.BodyParameter('A-1042')),
      ),
      buttons: new Interactive(
        new build.ActionButtons(new build.Button('yes', 'Yes'), new build.Button('no', 'No')),
        new Body('Will you come?'),
        new Header('Friday'),
        new Footer('Shop'),
      ),
      'buttons under an image': new Interactive(
        new build.ActionButtons(new build.Button('yes', 'Yes')),
        new Body('Will you come?'),
        new Header(new build.Image(LINK)),
      ),
      list: new Interactive(
        new build.ActionList(
          'Choose',
          new build.ListSection('Friday', new build.Row('1', 'Morning', '9 to 12')),
        ),
        new Body('When?'),
      ),
      'link button': new Interactive(new build.ActionCTA('Open', 'https://example.com'), new Body('Look')),
      'location request': new Interactive(new build.ActionLocation(), new Body('Where are you?')),
      flow: new Interactive(
        new build.ActionNavigateFlow('token', '123', 'Open', 'FIRST'),
        new Body('Fill this in'),
      ),
      product: new Interactive(new build.ActionProduct(new build.CatalogProduct('1', '2')), new Body('Look')),
      catalog: new Interactive(new build.ActionCatalog(new build.Product('1')), new Body('Look')),
    };
    return {
      messages: Object.fromEntries(
        Object.entries(messages).map(([name, message]) => [name, () => send(message)]),
      ),
      markAsRead: async (id) => {
        const answer = await client.markAsRead(phoneNumberId, id);
        return 'success' in answer && answer.success;
      },
      refused: async (other) => {
        const answer = await client.sendMessage(phoneNumberId, other, new build.Text('Hello'));
        if (!('error' in answer) || !answer.error) throw new Error('The client took it for a success');
        return { code: answer.error.code, details: answer.error.error_data?.details };
      },
    };
  },

  manage(address) {
    const client = clientOf(address);
    const { phoneNumberId: line, to } = address;
    let code = '';
    let mediaId = '';
    let mediaUrl = '';
    return {
      'create a QR code': async () => {
        const created = await client.createQR(line, 'Hello there', 'png');
        if ('code' in created) code = created.code;
        return created;
      },
      'list QR codes': () => client.retrieveQR(line),
      'read a QR code': () => client.retrieveQR(line, code),
      'edit a QR code': () => client.updateQR(line, code, 'Good morning'),
      'delete a QR code': () => client.deleteQR(line, code),
      'block a contact': () => client.blockUser(line, to),
      'unblock a contact': () => client.unblockUser(line, to),
      'upload a file': async () => {
        const form = new FormData();
        form.set('file', FILE);
        const uploaded = await client.uploadMedia(line, form);
        if ('id' in uploaded) mediaId = uploaded.id;
        return uploaded;
      },
      'describe a file': async () => {
        const described = await client.retrieveMedia(mediaId, line);
        if ('url' in described) mediaUrl = described.url;
        return described;
      },
      'download a file': async () => (await client.fetchMedia(mediaUrl)).text(),
      'delete a file': () => client.deleteMedia(mediaId),
    };
  },

  async read({ body, headers }, secret) {
    const client = new WhatsAppAPI<Read>({ token: 'none', appSecret: secret, v: 'v22.0' });
    client.on.message = ({ from, message }) => ({
      from: String(from),
      text: message.type === 'text' ? message.text.body : '',
    });
    client.on.status = ({ id, status }) => ({ id, status });
    const read = await client.post(
      JSON.parse(body) as PostData,
      body,
      String(headers['x-hub-signature-256']),
    );
    if (!read) throw new Error('It made nothing of the event');
    return read;
  },

  challenge: async (query, verifyToken) =>
    new WhatsAppAPI({ token: 'none', appSecret: 'none', v: 'v22.0', webhookVerifyToken: verifyToken }).get(
      query as unknown as GetParams,
    ),
};
