import { constants, createGzip } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { MINUTE, SECOND } from '../time';
import { takes } from './compressed';
import { markOf } from './ui/live';

/**
 * Between two renderings of a page: half of the second within which a change must be visible. The rendering
 * takes the rest.
 */
const POLL_INTERVAL = SECOND / 2;
/** After a slow rendering, the pause is this many times as long: no page keeps a processor busy. */
const REST = 10;
/** The browser then reconnects; a stream that nobody reads ends. */
const STREAM_LIFE = 15 * MINUTE;
/** A line that says nothing, so that a proxy does not take the stream for dead. */
const KEEP_ALIVE = 20 * SECOND;
/** More than a page has. */
const MOST_PARTS = 50;
const MAX_STREAMS = 200;
/** Per user: more than anyone's windows, and few enough to leave some for others. */
const MAX_STREAMS_PER_USER = 20;

export interface LiveStreams {
  /**
   * Sends the parts of a page whenever they change.
   * @param userId the reader
   * @param render the parts by their ids; null once the visitor may not see them any more
   * @param dress the last change of a part before it is sent
   */
  begin(
    reply: FastifyReply,
    userId: number,
    render: () => Promise<Map<string, string> | null>,
    dress: (html: string) => string,
  ): void;
  endAll(): void;
}

/** What the page shows already that asks for its first stream, as `id.mark` of each part. */
function shownOn({ headers, url }: FastifyRequest): Set<string> {
  if (headers['last-event-id'] !== undefined) return new Set();
  const shown = new URL(url, 'http://panel').searchParams.get('shown') ?? '';
  return new Set(shown.split(',').slice(0, MOST_PARTS));
}

export function liveStreams(): LiveStreams {
  /** How each is ended, and whose it is. */
  const ends = new Map<() => void, number>();
  let isEnding = false;

  function begin(
    reply: FastifyReply,
    userId: number,
    render: () => Promise<Map<string, string> | null>,
    dress: (html: string) => string,
  ): void {
    // Requested before the end, and started after it: nobody would end it.
    const ofUser = [...ends.values()].filter((id) => id === userId).length;
    if (isEnding || ends.size >= MAX_STREAMS || ofUser >= MAX_STREAMS_PER_USER)
      return void reply.code(503).header('retry-after', '30').send();
    reply.hijack();
    const { raw } = reply;
    // Small, because there are many of them.
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
    /** The page has the current state: older versions no longer count. */
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
      // Nothing more is written to a client that does not read. The next change brings what it missed.
      const sink = packed ?? raw;
      if (sink.writableLength > 1024 * 1024) return;
      sink.write(text);
      // Flush at once and reset the compressor: the length of data that is compressed together could reveal
      // it.
      packed?.flush(constants.Z_FULL_FLUSH);
    };
    // With an id the browser says of a later stream that it is not the first.
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
    // What could not be made now may be made at the next try: the browser connects again.
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
