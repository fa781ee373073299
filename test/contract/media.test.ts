import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { runAction } from '../support/n8n';
import { openWorld, type World } from './support/world';

const CONTACT = '5511987654321';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Without the wire, which passes no files on. */
const run = (parameters: INodeParameters, binary?: INodeExecutionData['binary']) =>
  runAction({ ...world.credentials, baseUrl: world.gateway.url }, parameters, [{}], {
    binary: [binary],
  });

const media = (operation: string, mediaId: unknown, more: INodeParameters = {}) =>
  run({ resource: 'media', operation, mediaId: mediaId as string, ...more });

async function idOfPicture(): Promise<string> {
  await world.does(CONTACT, {
    image: { data: PNG.toString('base64'), mime_type: 'image/png', caption: 'Look' },
  });
  const image = (await world.conversation(CONTACT)).at(-1)?.image as { id: string };
  return image.id;
}

describe('Media: Download', () => {
  test('gives out the file that a contact sent, named and described', async () => {
    const id = await idOfPicture();
    const { items, error } = await media('download', id);
    expect(error).toBeUndefined();
    expect(items[0].json).toEqual({
      mediaId: id,
      fileName: `${id}.png`,
      mimeType: 'image/png',
      fileSize: PNG.length,
      sha256: expect.any(String),
    });
    expect(items[0].binary?.data).toMatchObject({
      data: PNG.toString('base64'),
      mimeType: 'image/png',
      fileName: `${id}.png`,
    });
  });

  test('puts it where and under the name that is asked for', async () => {
    const { items } = await media('download', await idOfPicture(), {
      outputField: 'photo',
      fileName: 'cake.png',
    });
    expect(items[0].binary?.photo).toMatchObject({ fileName: 'cake.png', data: PNG.toString('base64') });
  });

  test('says in a sentence that there is no such file', async () => {
    const { error } = await media('download', '4490709327384033');
    expect(error?.message).toBe('The messaging platform has no file with this ID');
  });

  test.each([
    ['wamid.HBgM', 'Media ID is "wamid.HBgM", which is no media ID'],
    ['../status', 'Media ID is "../status", which is no media ID'],
    ['={{ $json.media }}', 'Media ID is empty'],
  ])('refuses %s before anything is asked', async (mediaId, message) => {
    const { error } = await media('download', mediaId);
    expect(error?.message).toBe(message);
  });
});

describe('Media: Upload', () => {
  const UPLOAD = { resource: 'media', operation: 'upload', binaryPropertyName: 'data' };
  const file = (mimeType: string) => ({
    data: { data: PNG.toString('base64'), mimeType, fileName: 'cake.png' },
  });

  test('gives out an ID by which the file is sent twice, until it is deleted', async () => {
    const { items, error } = await run(UPLOAD, file('image/png'));
    expect(error).toBeUndefined();
    const mediaId = String(items[0].json.mediaId);
    expect(items[0].json).toEqual({
      mediaId: expect.stringMatching(/^\d+$/),
      messageType: 'image',
      fileName: 'cake.png',
      mimeType: 'image/png',
    });

    await world.does(CONTACT, { text: 'Hello' });
    const send = {
      resource: 'message',
      operation: 'send',
      to: CONTACT,
      messageType: 'image',
      mediaSource: 'id',
      mediaId,
    };
    for (const sent of [await run(send), await run(send)]) expect(sent.error).toBeUndefined();
    const sent = (await world.conversation(CONTACT)).filter(
      ({ image }) => (image as { id?: string } | undefined)?.id === mediaId,
    );
    expect(sent).toHaveLength(2);

    expect((await media('delete', mediaId)).items[0].json).toEqual({ mediaId, deleted: true });
    expect((await media('delete', mediaId)).error?.message).toBe(
      'The messaging platform has no file with this ID',
    );
  });

  test('refuses a type that no message takes before anything is uploaded', async () => {
    const { error } = await run(UPLOAD, file('model/stl'));
    expect(error?.message).toBe(
      'The file in "data" is of the type model/stl, which the platform takes as no message',
    );
  });
});

describe('Contact: Pause Automation', () => {
  test('pauses for hours, which the gateway says, and resumes', async () => {
    const of = { resource: 'contact', to: '+55 11 98765-4321' };
    const { items } = await run({ ...of, operation: 'pauseAutomation', hours: 8 });
    expect(items[0].json).toMatchObject({ contact: '5511987654321', isPaused: true });
    expect(items[0].json.pausedUntil).toMatch(/^\d{4}-/);
    const resumed = await run({ ...of, operation: 'resumeAutomation' });
    expect(resumed.items[0].json).toMatchObject({ isPaused: false, pausedUntil: null });
  });
});

describe('Contact: Get Window', () => {
  const GET = { resource: 'contact', operation: 'getWindow' };

  test('tells until when a contact who wrote may be written to', async () => {
    await world.does(CONTACT, { text: 'Hello' });
    const { items, error } = await run({ ...GET, to: '+55 11 98765-4321' });
    expect(error).toBeUndefined();
    const { lastMessageAt, closesAt } = items[0].json as Record<string, string>;
    expect(items[0].json).toMatchObject({
      contact: CONTACT,
      isOpen: true,
      hasOptedOut: false,
      raw: { success: true },
    });
    expect(Date.parse(closesAt) - Date.parse(lastMessageAt)).toBe(24 * 3600 * 1000);
  });

  test('tells that one who never wrote may not', async () => {
    const { items } = await run({ ...GET, to: '12025550199' });
    expect(items[0].json).toMatchObject({ isOpen: false, lastMessageAt: null, closesAt: null });
  });

  test('refuses what is no telephone number', async () => {
    const { error } = await run({ ...GET, to: 'Ana' });
    expect(error?.message).toBe('Contact is "Ana", which is no telephone number');
  });
});
