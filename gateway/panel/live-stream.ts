import { constants, createGzip } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { MINUTE, SECOND } from '../time';
import { takes } from './compressed';
import { markOf } from './ui/live';

/** Time between renderings: half of the second within which a change must be visible. */
const POLL_INTERVAL = SECOND / 2;
/** After a slow rendering the pause is this many times longer, so that no page keeps a CPU busy. */
const REST = 10;
/** Ends streams that nobody reads. The browser reconnects. */
const STREAM_LIFE = 15 * MINUTE;
/** An empty comment is sent after this time, so that proxies keep the connection open. */
const KEEP_ALIVE = 20 * SECOND;
/** Most part ids read from a request; no page has more. */
const MOST_PARTS = 50;
const MAX_STREAMS = 200;
/** More than a user has windows open, and few enough to leave streams for others. */
const MAX_STREAMS_PER_USER = 20;

export interface LiveStreams {
  /**
   * Sends the parts of a page whenever they change.
   * @param userId the reader
   * @param render returns parts by id; null once the visitor may no longer see the page
   * @param dress adapts a part before it is sent
   */
  begin(
    reply: FastifyReply,
    userId: number,
    render: () => Promise<Map<string, string> | null>,
    dress: (html: string) => string,
  ): void;
  endAll(): void;
}

/** The parts that the page shows before its first stream, as `id.mark`. */
function shownOn({ headers, url }: FastifyRequest): Set<string> {
  if (headers['last-event-id'] !== undefined) return new Set();
  const shown = new URL(url, 'http://panel').searchParams.get('shown') ?? '';
  return new Set(shown.split(',').slice(0, MOST_PARTS));
}

export function liveStreams(): LiveStreams {
  /** The user id of each stream, by the function that ends the stream. */
  const ends = new Map<() => void, number>();
  let isEnding = false;

  function begin(
    reply: FastifyReply,
    userId: number,
    render: () => Promise<Map<string, string> | null>,
    dress: (html: string) => string,
  ): void {
    // A request may arrive after `endAll`, and no one would end its stream.
    const ofUser = [...ends.values()].filter((id) => id === userId).length;
    if (isEnding || ends.size >= MAX_STREAMS || ofUser >= MAX_STREAMS_PER_USER)
      return void reply.code(503).header('retry-after', '30').send();
    reply.hijack();
    const { raw } = reply;
    // Small buffers, because many streams are open.
    const packed = takes(reply.request, 'gzip') ? createGzip({ memLevel: 4, windowBits: 13 }) : null;
    packed?.on('error', () => raw.destroy()).pipe(raw);
    raw.writeHead(200, {
      ...Object.fromEntries(Object.entries(reply.getHeaders())),
      ...(packed && { 'content-encoding': 'gzip' }),
      vary: 'accept-encoding',
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    const sent = new Map<string, string>();
    const shown = shownOn(reply.request);
    const begun = Date.now();
    let written = begun;
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    /** Whether the first complete state was sent. The versions in `shown` no longer count then. */
    let isCurrent = false;

    const end = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      ends.delete(end);
      (packed ?? raw).end();
    };
    ends.set(end, userId);
    raw.on('error', end).on('close', () => {
      end();
      packed?.destroy();
    });

    const write = (text: string) => {
      written = Date.now();
      // Skips a client that doesn't read. A later change brings it up to date.
      const sink = packed ?? raw;
      if (sink.writableLength > 1024 * 1024) return;
      sink.write(text);
      // Flush, and reset the compressor, because the length of data compressed together could reveal content.
      packed?.flush(constants.Z_FULL_FLUSH);
    };
    // With an id, the browser marks later streams as reconnections.
    write('id: 1\nretry: 3000\n\n');

    const sendChanges = async () => {
      const began = performance.now();
      const parts = await render();
      const rest = Math.max(POLL_INTERVAL, REST * (performance.now() - began));
      if (isOver) return;
      if (!parts) {
        write('event: end\ndata: {}\n\n');
        return end();
      }
      for (const [id, html] of parts) {
        const isNew = sent.get(id) !== html && !shown.delete(`${id}.${markOf(html)}`);
        sent.set(id, html);
        if (!isNew) continue;
        write(`event: part\ndata: ${JSON.stringify({ id, html: dress(html) })}\n\n`);
      }
      if (!isCurrent) write(': current\n\n');
      isCurrent = true;
      shown.clear();
      if (Date.now() - begun > STREAM_LIFE) return end();
      if (Date.now() - written > KEEP_ALIVE) write(':\n\n');
      timer = setTimeout(poll, rest).unref();
    };
    // A failure ends the stream, and the browser reconnects and tries again.
    const poll = () => void sendChanges().catch(end);
    poll();
  }

  return {
    begin,
    endAll() {
      isEnding = true;
      [...ends.keys()].forEach((end) => end());
    },
  };
}
