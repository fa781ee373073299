import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { temporaryFolder } from '../../../support/databases';
import {
  buttons,
  callbackTo,
  CONTACT,
  inside,
  type Json,
  LINE,
  startObserved,
  startReceiver,
  startTestSandbox,
  template,
  text,
  valueOf,
} from '../support';

const BUSINESS = '12025550123';
const USER_ID = 'US.13491208655302741918';
const at = (contact: string) => `/sandbox/contacts/${encodeURIComponent(contact)}/messages`;

/** What the platform reports of what a contact does. */
async function reported(
  body: object,
  contact = CONTACT,
): Promise<{ value: Json; message: Json; answer: Json }> {
  const { receiver, sandbox } = await startObserved();
  const answer = await sandbox.call('POST', at(contact), body);
  expect([answer.code, answer.json]).toEqual([200, answer.json]);
  const [notification] = await receiver.accepted(1);
  return { value: valueOf(notification), message: inside(notification), answer: answer.json };
}

const media = (mimeType: string) => ({
  id: expect.stringMatching(/^\d{16}$/),
  mime_type: mimeType,
  sha256: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
});

describe('a contact sends', () => {
  it.each([
    [
      'an image',
      { image: { caption: 'Taj Mahal' } },
      'image',
      { caption: 'Taj Mahal', ...media('image/jpeg') },
    ],
    ['a video', { video: true }, 'video', media('video/mp4')],
    ['audio', { audio: true }, 'audio', { ...media('audio/ogg; codecs=opus'), voice: false }],
    ['a voice message', { voice: true }, 'audio', { ...media('audio/ogg; codecs=opus'), voice: true }],
    [
      'a document',
      { document: { filename: 'offer.pdf' } },
      'document',
      { filename: 'offer.pdf', ...media('application/pdf') },
    ],
    ['a sticker', { sticker: { animated: true } }, 'sticker', { ...media('image/webp'), animated: true }],
    [
      'a place',
      {
        location: { latitude: 37.4421, longitude: -122.1616, name: 'Philz Coffee', url: 'https://a.example' },
      },
      'location',
      { latitude: 37.4421, longitude: -122.1616, name: 'Philz Coffee', url: 'https://a.example' },
    ],
    [
      'a visiting card',
      { contacts: [{ name: { formatted_name: 'Lucía Gómez', first_name: 'Lucía' } }] },
      'contacts',
      [{ name: { formatted_name: 'Lucía Gómez', first_name: 'Lucía' } }],
    ],
    [
      'an order',
      { order: true },
      'order',
      expect.objectContaining({ catalog_id: '194836987003835', product_items: expect.any(Array) }),
    ],
  ])('%s', async (_what, body, type, content) => {
    const { value, message, answer } = await reported(body);
    expect(message).toEqual({ from: CONTACT, id: answer.id, timestamp: '1772445600', type, [type]: content });
    expect(value.contacts).toEqual([{ profile: { name: 'Contact 0147' }, wa_id: CONTACT }]);
  });

  it('a file of its own, whose digest is told', async () => {
    const bytes = Buffer.from('not really a picture');
    const { message } = await reported({
      image: { data: bytes.toString('base64'), mime_type: 'image/jpeg' },
    });
    expect(message.image).toMatchObject({
      mime_type: 'image/jpeg',
      sha256: createHash('sha256').update(bytes).digest('base64'),
    });
  });

  it('something that the API does not pass on', async () => {
    const { message } = await reported({ unsupported: 'poll' });
    expect(message).toEqual({
      from: CONTACT,
      id: expect.any(String),
      timestamp: '1772445600',
      errors: [
        {
          code: 131051,
          title: 'Message type unknown',
          message: 'Message type unknown',
          error_data: { details: 'Message type is currently not supported.' },
        },
      ],
      type: 'unsupported',
      unsupported: { type: 'poll' },
    });
    expect((await reported({ unsupported: true })).message).not.toHaveProperty('unsupported');
  });

  it('a number of its own that is new, which the platform says without a contact, and which opens no window', async () => {
    const { receiver, sandbox } = await startObserved();
    await sandbox.contact({ number_change: '12025550199', name: 'Ana' });
    const [notification] = await receiver.accepted(1);
    expect(valueOf(notification)).not.toHaveProperty('contacts');
    expect(inside(notification)).toMatchObject({
      from: CONTACT,
      type: 'system',
      system: {
        body: `User Ana changed from ${CONTACT} to 12025550199`,
        wa_id: '12025550199',
        type: 'user_changed_number',
      },
    });
    expect((await sandbox.call('GET', at(CONTACT))).json.window.open).toBe(false);
  });

  it.each([
    ['forwarded', { forwarded: true }, { context: { forwarded: true } }],
    ['forwarded many times', { forwarded_often: true }, { context: { frequently_forwarded: true } }],
    ['as an answer', { message: 'wamid.asked' }, { context: { from: BUSINESS, id: 'wamid.asked' } }],
    [
      'about a product',
      { product: { catalog_id: '7', product_retailer_id: 'x' } },
      { context: { from: BUSINESS, referred_product: { catalog_id: '7', product_retailer_id: 'x' } } },
    ],
    [
      'from an advertisement',
      { referral: true },
      { referral: expect.objectContaining({ source_type: 'ad', ctwa_clid: expect.any(String) }) },
    ],
  ])('a text %s', async (_how, beside, expected) => {
    const { message } = await reported({ text: 'Hi', ...beside });
    expect(message).toEqual({
      ...expected,
      from: CONTACT,
      id: expect.any(String),
      timestamp: '1772445600',
      type: 'text',
      text: { body: 'Hi' },
    });
  });

  it.each([
    [{ image: 'cat.jpg' }, '"image" is true for a sample'],
    [{ image: { data: '%%%' } }, 'in base64'],
    [{ image: { mime_type: 'picture' } }, 'like "image/jpeg"'],
    [{ image: { filename: 'a' } }, 'The field "filename" is not known here'],
    [{ location: { latitude: 91, longitude: 0 } }, '"latitude" is a number from -90 to 90'],
    [{ contacts: 'Ana' }, 'a list of cards'],
    [{ order: { product_items: [] } }, '"product_items"'],
    [{ reaction: '👍' }, 'Nothing that the line sent is known'],
    [{ edit: 'new' }, 'Nothing that the contact wrote is known'],
    [{ delete: 'wamid.x' }, '"delete" is true'],
    [{ number_change: 'new' }, 'the new number'],
    [{ flow: 'answers' }, '"flow" is a JSON object'],
    [{ text: 'a'.repeat(4097) }, '"text" is a text of up to 4096 characters'],
    [{ text: 'a', forwarded: 1 }, '"forwarded" is true or false'],
    [{ text: 'a', product: {} }, '"catalog_id" is a text'],
  ])('nothing of %j, and is told why', async (body, words) => {
    const sandbox = await startTestSandbox();
    const answer = await sandbox.contact(body);
    expect([answer.code, answer.json.error.message]).toEqual([400, expect.stringContaining(words)]);
  });
});

describe('a contact reacts', () => {
  it('to the newest message of the line, and takes it back', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.send(text('old'));
    const { id } = (await sandbox.send(template('hello_world'))).json.messages[0];
    expect((await sandbox.contact({ reaction: '👍' })).json.message).toMatchObject({
      type: 'reaction',
      reaction: { message_id: id, emoji: '👍' },
    });
    const back = (await sandbox.contact({ reaction: '', message: 'wamid.other' })).json.message;
    expect(back.reaction).toEqual({ message_id: 'wamid.other' });
    expect(back).not.toHaveProperty('context');
  });

  it('by editing and taking back what it wrote', async () => {
    const sandbox = await startTestSandbox();
    const { id } = (await sandbox.contact({ text: 'Helo' })).json;
    expect((await sandbox.contact({ edit: 'Hello' })).json.message).toMatchObject({
      type: 'edit',
      edit: { original_message_id: id, message: { type: 'text', text: { body: 'Hello' } } },
    });
    expect((await sandbox.contact({ delete: true, message: id })).json.message).toMatchObject({
      type: 'revoke',
      revoke: { original_message_id: id },
    });
  });

  it('with the form of a flow, as an answer to the message that opened it', async () => {
    const sandbox = await startTestSandbox();
    const flow = {
      type: 'interactive',
      interactive: { type: 'flow', body: { text: 'Rate us' }, action: { name: 'flow', parameters: {} } },
    };
    const { id } = (await sandbox.send(flow)).json.messages[0];
    await sandbox.send(buttons('Yes'));
    const { message } = (await sandbox.contact({ flow: { rating: '4', flow_token: 't' } })).json;
    expect(message).toMatchObject({
      context: { from: BUSINESS, id },
      type: 'interactive',
      interactive: { type: 'nfm_reply', nfm_reply: { body: 'Sent', name: 'flow' } },
    });
    expect(JSON.parse(message.interactive.nfm_reply.response_json)).toEqual({ rating: '4', flow_token: 't' });
  });
});

describe('a contact known only by its user id', () => {
  it('writes without a number, and is answered by that id', async () => {
    const { receiver, sandbox } = await startObserved();
    await sandbox.play(`contacts/${USER_ID}`, { username: '@sheena' });
    await sandbox.call('POST', at(USER_ID), { text: 'hi', name: 'Sheena' });
    const [wrote] = await receiver.accepted(1);
    const entry = { profile: { name: 'Sheena', username: '@sheena' }, user_id: USER_ID };
    expect(valueOf(wrote).contacts).toEqual([entry]);
    expect(inside(wrote)).toEqual({
      from_user_id: USER_ID,
      id: expect.any(String),
      timestamp: '1772445600',
      type: 'text',
      text: { body: 'hi' },
    });

    for (const to of [{ to: undefined, recipient: USER_ID }, { to: USER_ID }]) {
      const sent = await sandbox.send({ ...text('Hello'), ...to });
      expect(sent.json.contacts).toEqual([{ input: USER_ID, user_id: USER_ID }]);
    }
    const [, sent] = await receiver.accepted(7);
    expect(valueOf(sent).contacts).toEqual([entry]);
    expect(inside(sent)).toMatchObject({ status: 'sent', recipient_user_id: USER_ID });
    expect(inside(sent)).not.toHaveProperty('recipient_id');
  });

  it('gets no authentication template', async () => {
    const code = {
      name: 'code',
      parameter_format: 'POSITIONAL' as const,
      components: [{ type: 'BODY' as const, text: 'Your code is 1234.' }],
      language: 'en_US',
      status: 'APPROVED' as const,
      category: 'AUTHENTICATION' as const,
      quality_score: { score: 'GREEN', date: 0 },
      rejected_reason: 'NONE',
      id: '1',
    };
    const sandbox = await startTestSandbox({ templates: [code] });
    const refused = await sandbox.send({ ...template('code'), to: USER_ID });
    expect(refused).toMatchObject({ code: 400, json: { error: { code: 131062 } } });
    expect((await sandbox.send(template('code'))).code).toBe(200);
  });
});

describe('a contact with more than its number', () => {
  it('is told by both number and user id', async () => {
    const { receiver, sandbox } = await startObserved();
    await sandbox.play(`contacts/${CONTACT}`, { user_id: USER_ID });
    await sandbox.contact({ text: 'hi' });
    await sandbox.send(text('Hello'));
    const [wrote, sent] = await receiver.accepted(4);
    expect(inside(wrote)).toMatchObject({ from: CONTACT, from_user_id: USER_ID });
    expect(valueOf(wrote).contacts).toEqual([
      { profile: { name: 'Contact 0147' }, wa_id: CONTACT, user_id: USER_ID },
    ]);
    expect(inside(sent)).toMatchObject({ recipient_id: CONTACT, recipient_user_id: USER_ID });
    // Written to by its user id it is the same contact, in the same conversation.
    expect((await sandbox.send({ ...text('Hello'), to: USER_ID })).json.contacts).toEqual([
      { input: USER_ID, user_id: USER_ID },
    ]);
    expect((await sandbox.call('GET', at(CONTACT))).json.messages).toHaveLength(3);
  });

  it('as in Brazil answers from another number than was dialled, over a restart too', async () => {
    const folder = temporaryFolder();
    const dataFile = join(folder, 'contacts.jsonl');
    const DIALLED = '5511987654321';
    const WA_ID = '551187654321';
    const before = await startTestSandbox({ dataFile });
    await before.play(`contacts/${DIALLED}`, { wa_id: WA_ID });
    const { message } = (await before.call('POST', at(DIALLED), { text: 'Oi' })).json;
    expect(message.from).toBe(WA_ID);
    await before.close();

    const receiver = await startReceiver();
    const after = await startTestSandbox({ dataFile, callback: callbackTo(receiver) });
    const sent = await after.send({ ...text('Olá'), to: '+55 11 98765-4321' });
    expect(sent.json.contacts).toEqual([{ input: '+55 11 98765-4321', wa_id: WA_ID }]);
    expect(inside((await receiver.accepted(1))[0])).toMatchObject({ status: 'sent', recipient_id: WA_ID });
  });

  it('loses an id that is taken away, and cannot have another’s', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.play(`contacts/${CONTACT}`, { user_id: USER_ID, username: '@ana' });
    const taken = await sandbox.call('POST', '/sandbox/contacts/12025550199', { user_id: USER_ID });
    expect(taken.json.error.message).toBe(`${USER_ID} belongs to the contact ${CONTACT} already.`);
    expect(await sandbox.play(`contacts/${CONTACT}`, { user_id: null })).toEqual({
      contact: CONTACT,
      wa_id: CONTACT,
      user_id: null,
      username: '@ana',
      path: { path: 'read' },
      next: null,
    });
    expect((await sandbox.call('POST', '/sandbox/contacts/12025550199', { user_id: USER_ID })).code).toBe(
      200,
    );
  });

  it.each([
    [CONTACT, { wa_id: 'ana' }, '"wa_id" is one such as'],
    [CONTACT, { user_id: '7' }, '"user_id" is one such as'],
    [CONTACT, { username: '' }, '"username" is a text'],
    [USER_ID, { wa_id: '12025550111' }, 'A contact with a number is addressed by it'],
    [CONTACT, { path: 'nowhere' }, '"path" is one of "read"'],
    [CONTACT, { path: 'failed' }, '"code" is the number of an error'],
    [CONTACT, { path: 'read', code: 131026 }, '"code" belongs to the path "failed"'],
    [CONTACT, { next: 3 }, '"code" and "next" belong to a "path"'],
    [CONTACT, { path: 'sent', next: 0 }, '"next" is a whole number'],
    [CONTACT, { line: LINE }, 'The field "line" is not known here'],
  ])('is not changed at %s by %j', async (contact, body, words) => {
    const sandbox = await startTestSandbox();
    const answer = await sandbox.call('POST', `/sandbox/contacts/${contact}`, body);
    expect([answer.code, answer.json.error.message]).toEqual([400, expect.stringContaining(words)]);
  });
});

describe('the list of contacts', () => {
  it('shows who wrote or was written to, the last first, with their windows', async () => {
    const sandbox = await startTestSandbox();
    await sandbox.contact({ text: 'Hi', name: 'Ana' });
    sandbox.later(1000);
    await sandbox.send({ ...template('hello_world'), to: '12025550199' });
    const { json } = await sandbox.call('GET', '/sandbox/contacts');
    expect(json).toEqual({
      line: LINE,
      contacts: [
        {
          contact: '12025550199',
          name: null,
          last_wrote: null,
          window: { open: false, expires_at: null },
          last_message: expect.objectContaining({ direction: 'to_contact', type: 'template' }),
        },
        {
          contact: CONTACT,
          name: 'Ana',
          last_wrote: '2026-03-02T10:00:00.000Z',
          window: { open: true, expires_at: '2026-03-03T10:00:00.000Z' },
          last_message: expect.objectContaining({ direction: 'from_contact', text: { body: 'Hi' } }),
        },
      ],
    });
  });
});
