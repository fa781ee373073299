import { Readable } from 'node:stream';
import { type FastifyReply } from 'fastify';

/** Bytes per slice, so that slicing takes little memory and other requests run in between. */
const SLICE = 64 * 1024;

/**
 * Sends a JSON response with a list of items stored as bytes. Its length is computed first, so that a refused
 * response costs nothing.
 * @param before the text before the items
 * @param items each as JSON, in pieces
 * @param after the text after the items
 */
export function sendList(
  reply: FastifyReply,
  before: string,
  items: Buffer[][],
  after: string,
): FastifyReply {
  const pieces = [
    Buffer.from(before),
    ...items.flatMap((item, index) => (index ? [COMMA, ...item] : item)),
    Buffer.from(after),
  ];
  return reply
    .type('application/json; charset=utf-8')
    .header(
      'content-length',
      pieces.reduce((sum, piece) => sum + piece.length, 0),
    )
    .send(Readable.from(slicesOf(pieces), { objectMode: false, highWaterMark: SLICE }));
}

const COMMA = Buffer.from(',');

function* slicesOf(pieces: Buffer[]): Generator<Buffer> {
  let [from, size] = [0, 0];
  for (const [index, piece] of pieces.entries()) {
    size += piece.length;
    if (size < SLICE && index < pieces.length - 1) continue;
    yield Buffer.concat(pieces.slice(from, index + 1));
    [from, size] = [index + 1, 0];
  }
}
