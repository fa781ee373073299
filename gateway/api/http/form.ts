import { type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type Dicer } from '@fastify/busboy';
import { formBroken, invalidField, notMultipart, type Refusal } from '../../errors';
import { type FormPart } from '../../media/validate-upload';
import { MINUTE, SECOND } from '../../time';

/** A multipart form that is being received. */
export interface OpenForm {
  /** The parts in the order of arrival. Throws a Refusal where the form breaks off. */
  parts: AsyncIterator<FormPart>;
  /** Must be called at the end: stops reading and closes the form. */
  stop(): void;
}

/** A form is given up if no data arrives for this long. */
const STALL = MINUTE;
/** After a refusal, reading continues for this long so that the client sees the response. */
const LINGER = 10 * SECOND;

const LIMITS = { fieldSize: 4096, fields: 20, files: 2, parts: 30, headerPairs: 20, headerSize: 16 * 1024 };

/**
 * Reads a form part by part, no faster than the caller reads the parts.
 * @throws Refusal for an invalid multipart form
 */
export function openForm(request: IncomingMessage, stall = STALL): OpenForm {
  const parser = parserFor(request);
  const wholeType = wholeTypes(parser);
  const parts = new Readable({ objectMode: true, read: () => undefined });
  let file: BusboyFileStream | undefined;
  let isOver = false;
  /** Why the form is invalid, as reported by the parser. */
  let refused: Refusal | null = null;

  function fail(reason: Refusal): void {
    refused ??= reason;
    parts.destroy(refused);
    file?.destroy(refused);
    stop();
  }

  async function* contentOf(stream: BusboyFileStream): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) yield chunk;
    } catch (error) {
      throw refused ?? error;
    }
  }

  function stop(): void {
    if (isOver) return;
    isOver = true;
    request.off('data', wait).off('resume', wait).off('pause', waitNoMore).off('end', waitNoMore);
    waitNoMore();
    request.unpipe(parser);
    parts.destroy();
    file?.destroy();
    if (request.complete || request.destroyed) return;
    request.resume();
    const cut = setTimeout(() => request.destroy(), LINGER).unref();
    request.once('close', () => clearTimeout(cut));
  }

  let stalling: NodeJS.Timeout | undefined;
  const waitNoMore = () => clearTimeout(stalling);
  function wait(): void {
    waitNoMore();
    stalling = setTimeout(() => fail(formBroken('The form stopped arriving.')), stall).unref();
  }
  const brokeOff = () => fail(formBroken('The form broke off before its end, or its boundary is wrong.'));

  parser.on('field', (name, value, _nameCut, isCut) => {
    if (isCut) return fail(invalidField(name, 'maxLength', 'A field of the form is longer than 4 KB.'));
    parts.push({ kind: 'field', name, value } satisfies FormPart);
  });
  parser.on('file', (name, content, filename, _encoding, type) => {
    // `brokeOff` reports failures. Without a listener, the error would end the process.
    content.on('error', () => undefined);
    file = content;
    const part: FormPart = {
      kind: 'file',
      name,
      filename: filename ?? '',
      type: wholeType() ?? type,
      content: contentOf(content),
    };
    parts.push(part);
  });
  parser.on('fieldsLimit', () => fail(invalidField('', 'maxItems', 'The form has more than 20 fields.')));
  parser.on('partsLimit', () => fail(invalidField('', 'maxItems', 'The form has more than 30 parts.')));
  parser.on('finish', () => parts.push(null));
  parser.on('error', brokeOff);
  parts.on('error', () => undefined);
  request.once('close', () => {
    if (!request.complete) brokeOff();
  });
  // While the request is paused, the gateway is the slow side, so the client's timeout stops.
  request.on('data', wait).on('resume', wait).on('pause', waitNoMore).on('end', waitNoMore);
  wait();
  request.pipe(parser);
  return { parts: parts[Symbol.asyncIterator]() as AsyncIterator<FormPart>, stop };
}

function parserFor({ headers }: IncomingMessage) {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: LIMITS,
      isPartAFile: (name, type, filename) =>
        filename !== undefined || (name === 'file' && type !== 'text/plain'),
    });
  } catch {
    // No boundary, or another content type.
    throw notMultipart();
  }
}

/**
 * The form parser drops the parameters of a part's type (`audio/ogg; codecs=opus`), so its header parser is read
 * directly.
 * @returns gets the Content-Type of the current part
 */
function wholeTypes(parser: ReturnType<typeof parserFor>): () => string | undefined {
  let type: string | undefined;
  const { parser: dicer } = (parser as unknown as { _parser: { parser: Dicer } })._parser;
  dicer.prependListener('part', (part) => {
    part.on('header', (header) => (type = (header as Record<string, string[]>)['content-type']?.[0]));
  });
  return () => type;
}
