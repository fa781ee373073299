import { Readable } from 'node:stream';
import { type FastifyReply } from 'fastify';

/** Put together at once: what is not sent yet takes no further memory, and other requests come in between. */
const SLICE = 64 * 1024;

/**
 * Sends JSON that holds a list whose items are kept as bytes. Its length is known before anything is put together, so
 * that an answer that the line may not have costs nothing.
 * @param before what comes before the items @param items each as JSON, in pieces
 * @param after what comes after the items
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
