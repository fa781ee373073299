import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { WABAClient, WebhookClient } from 'whatsapp-business';
import {
  LINK,
  PIN,
  PROFILE,
  thrownBy,
  type Address,
  type PublishedClient,
  type Read,
} from './published-client';

type Message = Parameters<WABAClient['sendMessage']>[0];

/** The web framework that the client itself brings. */
interface Express {
  (): RequestListener & { use(part: unknown): void };
  json(): unknown;
}
const express = jest.requireActual<Express>('express');

/** Its HTTP client is a public part of it, and so is that one's base address. */
function clientOf({ url, phoneNumberId, accountId, token }: Address) {
  const client = new WABAClient({ apiToken: token, phoneId: phoneNumberId, accountId });
  client.restClient.fetch.defaults.baseURL = `${url}/v17.0`;
  return client;
}

export const whatsappBusiness: PublishedClient = {
  name: 'whatsapp-business',
  verifies: false,

  connect(address) {
    const client = clientOf(address);
    const { to } = address;
    const send = (type: NonNullable<Message['type']>, part: unknown) => async () =>
      (await client.sendMessage({ to, type, [type]: part } as Message)).messages[0].id;
    const body = { text: 'Look' };
    return {
      messages: {
        text: send('text', { body: 'Hello', preview_url: true }),
        image: send('image', { link: LINK, caption: 'A caption' }),
        video: send('video', { link: LINK }),
        audio: send('audio', { id: '2762702990552401' }),
        document: send('document', { link: LINK, filename: 'invoice.pdf' }),
        sticker: send('sticker', { link: LINK }),
        location: send('location', {
          latitude: -23.5,
          longitude: -46.6,
          name: 'Shop',
          address: 'Paulista 1578',
        }),
        contacts: send('contacts', [
          { name: { formatted_name: 'Ana Silva', first_name: 'Ana' }, emails: [] },
        ]),
        reaction: send('reaction', { message_id: 'wamid.1', emoji: '👍' }),
        template: send('template', {
          name: 'hello_world',
          language: { policy: 'deterministic', code: 'en_US' },
        }),
        buttons: send('interactive', {
          type: 'button',
          body,
          action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
        }),
        list: send('interactive', {
          type: 'list',
          body,
          action: {
            button: 'Choose',
            sections: [{ title: 'Friday', rows: [{ id: '1', title: 'Morning' }] }],
          },
        }),
      },
      markAsRead: async (messageId) => (await client.markMessageAsRead(messageId)).success,
      refused: async (other) => {
        const error = await thrownBy(() =>
          client.sendMessage({ to: other, type: 'text', text: { body: 'Hello' } } as Message),
        );
        const { code, error_data: data } = error as { code: number; error_data?: { details: string } };
        return { code, details: data?.details };
      },
    };
  },

  manage(address) {
    const client = clientOf(address);
    const { phoneNumberId } = address;
    let mediaId = '';
    return {
      'edit the profile': () => client.updateBusinessProfile(PROFILE),
      'read the profile': () => client.getBusinessProfile(),
      'list phone numbers': () => client.getBusinessPhoneNumbers(),
      'read a phone number': () => client.getSingleBusinessPhoneNumber(phoneNumberId),
      'request a code': () =>
        client.requestPhoneNumberVerificationCode({ phoneNumberId, code_method: 'VOICE', language: 'pt_BR' }),
      'verify a code': () => client.verifyPhoneNumberCode({ phoneNumberId, code: '123-456' }),
      'register a number': () => client.registerPhone({ phoneNumberId, pin: PIN }),
      'set the PIN': () => client.setupTwoStepAuth({ phoneNumberId, pin: PIN }),
      'deregister a number': () => client.deregisterPhone(phoneNumberId),
      'register a number again': () => client.registerPhone({ phoneNumberId, pin: PIN }),
      'upload a file': async () => {
        const file = join(__dirname, '../../../docs/credential.png');
        const uploaded = await client.uploadMedia({ file, type: 'image/png' } as never);
        mediaId = uploaded.id;
        return uploaded;
      },
      'describe a file': () => client.getMedia(mediaId),
      'delete a file': () => client.deleteMedia(mediaId),
    };
  },

  /** It has a receiver of its own, which does not look at the signature. */
  async read({ body, headers }) {
    const found: Read[] = [];
    await withReceiver('none', found, async (url) => {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': String(headers['content-type']) },
        body,
      });
      if (!answer.ok) throw new Error(`It answered ${answer.status}`);
    });
    const [read] = found;
    if (!read) throw new Error('It made nothing of the event');
    return read;
  },

  async challenge(query, verifyToken) {
    let challenge = '';
    await withReceiver(verifyToken, [], async (url) => {
      challenge = await (await fetch(`${url}?${new URLSearchParams(query).toString()}`)).text();
    });
    return challenge;
  },
};

async function withReceiver(
  token: string,
  found: Read[],
  work: (url: string) => Promise<void>,
): Promise<void> {
  const app = express();
  app.use(express.json());
  const receiver = new WebhookClient({
    token,
    path: '/webhook',
    expressApp: { app: app as never, shouldStartListening: false },
  });
  receiver.initWebhook({
    onTextMessageReceived: (message) =>
      void found.push({ from: String(message.from), text: String(message.text?.body) }),
    onStatusReceived: (status) => void found.push({ id: status.id, status: status.status }),
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`);
  } finally {
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }
}
