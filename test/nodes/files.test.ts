import { setTimeout as sleep } from 'node:timers/promises';
import { NodeHelpers, type INodeParameters } from 'n8n-workflow';

import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';
import { ACTION, node, runAction } from '../support/n8n';
import { accepted, gatewayForEach, MEDIA, MESSAGES, type Received } from './support/gateway';

const gateway = gatewayForEach();
interface Body {
  to: string;
  type: string;
  [type: string]: unknown;
}
/** What the gateway takes, alone or in a batch, in the order of arrival. */
let taken: Body[];
let uploads: string[];
beforeEach(() => {
  taken = [];
  uploads = [];
  gateway.on('POST', MESSAGES, (request) => {
    taken.push(request.body as Body);
    return accepted(request);
  });
  gateway.on('POST', `${MESSAGES}/batch`, ({ body }) => ({
    body: {
      success: true,
      results: (body as { messages: Array<{ message: Body }> }).messages.map(({ message }) => {
        taken.push(message);
        return { status: 200, body: accepted({ body: message } as unknown as Received).body };
      }),
    },
  }));
  gateway.on('POST', MEDIA, async ({ body }) => {
    uploads.push(String(body));
    return { body: { success: true, id: String(uploads.length) } };
  });
});

const SEND = { resource: 'message', operation: 'send', to: '5511987654321' };
const FROM_N8N = { mediaSource: 'binary', binaryPropertyName: 'data' };
const base64 = (content: string) => Buffer.from(content, 'latin1').toString('base64');
const OPUS = base64(`OggS${'\0'.repeat(24)}OpusHead`);
const VORBIS = base64(`OggS${'\0'.repeat(24)}\x01vorbis`);
const PNG = base64('\x89PNG\r\n\x1a\n');
const NO_TYPE = 'application/octet-stream';

const sendFile = (file: object, parameters: INodeParameters = {}) =>
  runAction(gateway.credentials, { ...SEND, messageType: 'file', ...FROM_N8N, ...parameters }, [{}], {
    binary: [{ data: { data: PNG, mimeType: NO_TYPE, ...file } as never }],
  });

test.each<[string, object, string, object]>([
  ['a picture', { mimeType: 'image/png', fileName: 'a.png' }, 'image', { caption: 'Look' }],
  ['a video', { mimeType: 'video/mp4' }, 'video', { caption: 'Look' }],
  ['a sticker', { mimeType: 'image/webp' }, 'sticker', {}],
  ['an audio file', { mimeType: 'audio/mpeg' }, 'audio', {}],
  ['a voice message by its content', { mimeType: 'audio/ogg', data: OPUS }, 'audio', { voice: true }],
  ['a voice message by its type', { mimeType: 'audio/ogg; codecs=opus' }, 'audio', { voice: true }],
  ['another OGG file', { mimeType: 'audio/ogg', data: VORBIS }, 'audio', {}],
  [
    'a document',
    { mimeType: 'application/pdf', fileName: 'a.pdf' },
    'document',
    { caption: 'Look', filename: 'a.pdf' },
  ],
  ['a picture by its name', { fileName: 'pic.PNG' }, 'image', { caption: 'Look' }],
  ['a picture by its content', {}, 'image', { caption: 'Look' }],
  ['a voice message without a type', { data: OPUS }, 'audio', { voice: true }],
  ['a PDF by its content', { data: base64('%PDF-1.7') }, 'document', { caption: 'Look' }],
  ['a text by its content', { data: base64('Name;Price\n') }, 'document', { caption: 'Look' }],
])('the type file sends %s as that', async (_what, file, type, more) => {
  const { error, items } = await sendFile(file, { caption: 'Look' });
  expect(error).toBeUndefined();
  expect(taken).toMatchObject([{ type, [type]: { id: '1', ...more } }]);
  expect(Object.keys(taken[0][type] as object).sort()).toEqual(['id', ...Object.keys(more)].sort());
  expect(items[0].json.messageType).toBe(type);
});

test('a text that is no plain text is uploaded as one, under its own name', async () => {
  await sendFile({ mimeType: 'application/json', fileName: 'order.json', data: base64('{"a": 1}') });
  expect(taken).toMatchObject([{ type: 'document', document: { filename: 'order.json' } }]);
  expect(uploads[0]).toContain('Content-Type: text/plain');
});

test('a file that the platform does not take is refused with what to do', async () => {
  const { error } = await sendFile({ mimeType: 'image/gif', fileName: 'a.gif' });
  expect(error?.message).toBe(
    'The file in "data" is of the type image/gif, which the platform takes as no message',
  );
  expect(error?.description).toContain('Convert it to a picture');
  const large = await sendFile({ mimeType: 'image/png', data: Buffer.alloc(6 << 20).toString('base64') });
  expect(large.error?.message).toContain('1 MB more than the 5 MB allowed');
  expect(large.error?.description).toContain('ZIP');
  expect(taken).toEqual([]);
});

test.each([
  ['https://shop.example/a.jpg?size=2#top', 'image'],
  ['https://shop.example/a.b/invoice.PDF', 'document'],
  ['https://shop.example/a.ogg', 'audio'],
])('%s is sent as the kind that its ending says', async (mediaLink, type) => {
  await runAction(gateway.credentials, { ...SEND, messageType: 'file', mediaLink });
  expect(taken).toMatchObject([{ type, [type]: { link: mediaLink } }]);
});

test('an address without an ending is refused with two ways on', async () => {
  const mediaLink = 'https://shop.example/files/42';
  const { error } = await runAction(gateway.credentials, { ...SEND, messageType: 'file', mediaLink });
  expect(error?.message).toContain('is not clear from its ending');
  expect(error?.description).toMatch(/Send it as Image.*HTTP Request/);
});

test('an earlier upload is sent as the kind that the platform knows it to be', async () => {
  gateway.on('GET', '/v22.0/42', () => ({ body: { id: '42', mime_type: 'video/mp4', file_size: 9 } }));
  const upload = { messageType: 'file', mediaSource: 'id', mediaId: '42' };
  await runAction(gateway.credentials, { ...SEND, ...upload });
  expect(taken).toMatchObject([{ type: 'video', video: { id: '42' } }]);
});

describe('a message type by expression', () => {
  const BY_ITEM = { ...SEND, messageType: '={{ $json.type }}', text: '={{ $json.text }}' };
  const run = (type: unknown, file: object = { mimeType: 'image/png', fileName: 'a.png' }) =>
    runAction(gateway.credentials, { ...BY_ITEM, ...FROM_N8N }, [{ type, text: 'Hi' } as never], {
      binary: [{ data: { data: PNG, ...file } as never }],
    });
  const AUDIO = { mimeType: 'audio/ogg', data: OPUS };
  const PDF = { mimeType: 'application/pdf', data: base64('%PDF-') };

  test.each<[string, string, object | undefined]>([
    ...['text', 'Message', 'texto'].map((word): [string, string, undefined] => [word, 'text', undefined]),
    ...[
      'image',
      'Photo',
      'PICTURE',
      'photos',
      'imagem',
      'foto',
      'jpg',
      '.png',
      'file',
      'attachment',
      'image/png',
    ].map((word): [string, string, undefined] => [word, 'image', undefined]),
    ...['audio', 'voice', 'Voice note', 'áudio', 'voz', 'ogg', 'arquivo', 'audio/ogg; codecs=opus'].map(
      (word): [string, string, object] => [word, 'audio', AUDIO],
    ),
    ...['document', 'pdf', 'Documento', 'docs', 'file', 'application/pdf', 'xlsx'].map(
      (word): [string, string, object] => [word, 'document', PDF],
    ),
  ])('that comes to %s sends the type %s', async (word, type, file) => {
    const { error } = await run(word, file);
    expect(error).toBeUndefined();
    expect(taken).toMatchObject([{ type }]);
  });

  test('that comes to voice sends a voice message', async () => {
    await run('voice', AUDIO);
    expect(taken).toMatchObject([{ type: 'audio', audio: { id: '1', voice: true } }]);
  });

  test.each(['gif', 'buttons', 'template', 'toString', ''])(
    'that comes to "%s" is refused with all that it may come to',
    async (word) => {
      const { error } = await run(word);
      expect(error?.message).toBe(
        word === '' ? 'Message Type is empty' : `There is no message type "${word}"`,
      );
      expect(error?.description).toContain('text, image, video, audio, voice, document, sticker, or to file');
    },
  );

  test('needs no field that only some of the types need', () => {
    const { description } = new MessagingGateway();
    const saved = node(ACTION, { ...SEND, messageType: '={{ $json.type }}' });
    const filled = NodeHelpers.getNodeParameters(
      description.properties,
      saved.parameters,
      true,
      false,
      saved,
      description,
    );
    const issues = NodeHelpers.getNodeParametersIssues(
      description.properties,
      { ...saved, parameters: filled ?? {} },
      description,
    );
    expect(issues).toBeNull();
  });

  test('leaves the order of each contact as it is, whatever is uploaded before', async () => {
    gateway.on('POST', MEDIA, async ({ body }) => {
      uploads.push(String(body));
      // Longer than what needs no upload takes.
      await sleep(100);
      return { body: { success: true, id: `upload ${/filename="(\d+)/.exec(String(body))?.[1]}` } };
    });
    const types = ['photo', 'text', 'pdf', 'text', 'text', 'voice', 'file'];
    const items = Array.from({ length: 42 }, (_, index) => ({
      to: String(12025550000 + (index % 3)),
      type: types[index % types.length],
      text: String(index),
    }));
    const files = { photo: { mimeType: 'image/png', data: PNG }, pdf: PDF, voice: AUDIO, file: PDF };
    const { error } = await runAction(
      gateway.credentials,
      { ...BY_ITEM, ...FROM_N8N, to: '={{ $json.to }}' },
      items,
      {
        binary: items.map(({ type, text }) => ({
          data: { ...(files[type as keyof typeof files] ?? files.photo), fileName: text } as never,
        })),
      },
    );
    expect(error).toBeUndefined();
    expect(taken).toHaveLength(items.length);
    const placeOf = (body: Body) => {
      const { body: text, id } = body[body.type] as { body?: string; id?: string };
      return text ?? id?.replace('upload ', '');
    };
    for (const to of new Set(items.map((item) => item.to)))
      expect(taken.filter((body) => body.to === to).map(placeOf)).toEqual(
        items.filter((item) => item.to === to).map(({ text }) => text),
      );
  });
});

describe('a voice message', () => {
  const voice = (file: object) => sendFile(file, { messageType: 'audio', options: { voice: true } });

  test('that is MP3 is sent, with a word on what to do', async () => {
    const { hints, error } = await voice({ mimeType: 'audio/mpeg', data: base64('ID3') });
    expect(error).toBeUndefined();
    expect(taken).toMatchObject([{ audio: { voice: true } }]);
    expect(hints).toEqual([expect.objectContaining({ message: expect.stringContaining('OGG with Opus') })]);
  });

  test('that is OGG with Opus needs no word', async () => {
    const { hints } = await voice({ mimeType: 'audio/ogg', data: OPUS });
    expect(hints).toEqual([]);
  });
});

test('a caption that the kind does not have is left out, with a word', async () => {
  const { hints } = await sendFile({ mimeType: 'audio/mpeg' }, { caption: 'Listen' });
  expect(taken).toMatchObject([{ type: 'audio', audio: { id: '1' } }]);
  expect(hints).toEqual([expect.objectContaining({ message: expect.stringContaining('have no caption') })]);
});
