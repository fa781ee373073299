import { Readable } from 'node:stream';
import { type FastifyReply } from 'fastify';

/** The size of a slice: the rest takes no further memory, and other requests run in between. */
const SLICE = 64 * 1024;

/**
 * Sends JSON with a list whose items are stored as bytes. Its length is known before anything is assembled,
 * so that a refused answer costs nothing.
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
