import { connect } from 'node:net';

/** One answer, as received. */
export interface RawAnswer {
  status: number;
  /** Names in lowercase. */
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends raw bytes and returns every answer until the other side closes the connection.
 * @param endAfter milliseconds of silence after which this side closes its half, for bytes that look like the
 * start of a request; without it, a connection that stays open fails
 */
export async function exchange(url: string, bytes: string | Buffer, endAfter?: number): Promise<RawAnswer[]> {
  const { hostname, port } = new URL(url);
  const received = await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () => {
      socket.write(bytes);
      if (endAfter === 0) socket.end();
    });
    const giveUp = () =>
      socket.destroy(new Error(`Not closed; answered: ${Buffer.concat(chunks).toString()}`));
    socket.setTimeout(endAfter || 20_000, () => {
      if (endAfter && !socket.writableEnded) socket.end();
      else giveUp();
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    // A request that is refused early is answered before the connection is reset.
    socket.on('error', (error) => (chunks.length ? resolve(Buffer.concat(chunks)) : reject(error)));
    socket.on('end', () => {
      socket.destroy();
      resolve(Buffer.concat(chunks));
    });
  });
  return answersIn(received.toString('latin1'), /^HEAD /.test(bytes.toString('latin1')));
}

function answersIn(text: string, isHead: boolean): RawAnswer[] {
  if (text === '') return [];
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})( |$)/.exec(first)?.[1];
  if (end < 0 || !status) throw new Error(`No answer of HTTP: ${JSON.stringify(text.slice(0, 200))}`);
  const headers = Object.fromEntries(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  // The answer to unreadable HTTP has a body, even after a HEAD.
  const isBodiless = status.startsWith('1') || (isHead && !text.slice(end + 4).startsWith('{'));
  const length = isBodiless ? 0 : Number(headers['content-length']);
  if (Number.isNaN(length))
    throw new Error(`An answer without a length: ${JSON.stringify(text.slice(0, 200))}`);
  const body = text.slice(end + 4, end + 4 + length);
  const answer = { status: Number(status), headers, body: Buffer.from(body, 'latin1').toString('utf8') };
  return [answer, ...answersIn(text.slice(end + 4 + length), false)];
}
