/** A server in the platform's place that takes, describes, serves and deletes media files. */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Json } from '../../support/scene';

/** One upload as the platform received it. */
export interface Uploaded {
  url: string;
  headers: IncomingMessage['headers'];
  /** Whether its form came to its end. */
  isWhole: boolean;
  bytes: number;
  /** The beginning of the form, for those who look into it. */
  body: Buffer;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export interface MediaUpstream {
  url: string;
  uploads: Uploaded[];
  /** `METHOD url` of all other requests, and the headers of each. */
  asked: { what: string; headers: IncomingMessage['headers'] }[];
  /** Answers an upload before its body is read; the default reads it whole and accepts it. */
  onUpload: Handler | null;
  /** Answers everything else. */
  onRequest: Handler;
  close(): Promise<void>;
}

/** Of an upload no more than this is kept. */
const KEPT = 8 * 1024 * 1024;

export async function startMediaUpstream(): Promise<MediaUpstream> {
  const upstream: MediaUpstream = {
    url: '',
    uploads: [],
    asked: [],
    onUpload: null,
    onRequest: (_request, response) => answer(response, 404, unknownObject('get', '0')),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      upstream.asked.push({ what: `${request.method} ${request.url}`, headers: request.headers });
      void upstream.onRequest(request, response);
      return;
    }
    const upload: Uploaded = {
      url: request.url ?? '',
      headers: request.headers,
      isWhole: false,
      bytes: 0,
      body: Buffer.alloc(0),
    };
    upstream.uploads.push(upload);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => {
      upload.bytes += chunk.length;
      if (upload.bytes <= KEPT) chunks.push(chunk);
    });
    request.on('end', () => {
      upload.isWhole = true;
      upload.body = Buffer.concat(chunks);
      if (!upstream.onUpload) answer(response, 200, { id: '985569392615996' });
    });
    request.on('error', () => undefined);
    if (upstream.onUpload) void upstream.onUpload(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return upstream;
}

export function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

export const unknownObject = (method: string, id: string) => ({
  error: {
    message: `Unsupported ${method} request. Object with ID '${id}' does not exist`,
    type: 'GraphMethodException',
    code: 100,
    error_subcode: 33,
    fbtrace_id: 'A1',
  },
});

/** The parts of a form, in their order. */
export async function partsOf({ headers, body }: Uploaded): Promise<[string, string | File][]> {
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData();
  return [...form.entries()];
}

export interface RawReply {
  status: number;
  body: Json;
}

/**
 * Sends a form as it is written, as slowly or as brokenly as `write` does it.
 * @param write resolves when it has written what it wants; the body is ended by it, or never
 */
export function sendRaw(
  url: string,
  headers: Record<string, string>,
  write: (to: ReturnType<typeof request>) => Promise<void> | void,
): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    // As upload clients do: a server closes at once on whoever asks it to, though he may still be sending.
    const kept = { connection: 'keep-alive', ...headers };
    const sent = request(url, { method: 'POST', headers: kept, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
      sent.destroy();
    });
    sent.on('error', reject);
    // Once it is answered, it may not be able to write the rest.
    Promise.resolve(write(sent)).catch(reject);
  });
}

export const BOUNDARY = '----a boundary';
export const FORM = { 'content-type': `multipart/form-data; boundary="${BOUNDARY}"` };

export const fieldPart = (name: string, value: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

/** All of a file's part but its bytes and what ends it. @param disposition after `name="file"` */
export const filePart = (type: string, disposition = '; filename="a.bin"'): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"${disposition}\r\nContent-Type: ${type}\r\n\r\n`;

export const END = `\r\n--${BOUNDARY}--\r\n`;

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const brand = (major: string, ...others: string[]): Buffer => {
  const box = Buffer.alloc(16 + 4 * others.length);
  box.writeUInt32BE(box.length, 0);
  box.write(`ftyp${major}`, 4, 'latin1');
  others.forEach((one, index) => box.write(one, 16 + 4 * index, 'latin1'));
  return Buffer.concat([box, Buffer.alloc(64)]);
};

/** The first bytes of files, as programs write them. */
export const HEADS = {
  jpeg: bytes('\xff\xd8\xff\xe0\0\x10JFIF\0'),
  png: bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'),
  webp: bytes('RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0\0\0\0\0\0\0'),
  animatedWebp: bytes('RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\0\0'),
  mp4: brand('isom', 'isom', 'iso2', 'avc1', 'mp41'),
  gpp: brand('3gp4', '3gp4'),
  gppAsMp4: brand('3gp5', 'isom', '3gp4'),
  m4a: brand('M4A ', 'M4A ', 'mp42'),
  quickTime: brand('qt  ', 'qt  '),
  heic: brand('heic', 'mif1', 'heic'),
  mp3: bytes('ID3\x04\0\0\0\0\0\0'),
  mp3Frame: bytes('\xff\xfb\x90\x64\0\0'),
  aac: bytes('\xff\xf1\x50\x80\x02\x1f'),
  ogg: bytes('OggS\0\x02\0\0\0\0\0\0\0\0OpusHead'),
  amr: bytes('#!AMR\n\x3c'),
  pdf: bytes('%PDF-1.7\n%\xe2\xe3\xcf\xd3'),
  office: bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0'),
  zip: bytes('PK\x03\x04\x14\0\x06\0[Content_Types].xml'),
  text: Buffer.from('Olá, um texto.\n'),
  gif: bytes('GIF89a\x01\0\x01\0\0\0'),
  program: bytes('MZ\x90\0\x03\0\0\0'),
};
