import { Client } from 'pg';
import { SECOND } from '../../time';
import { readWake, WAKE_CHANNEL, type Wake } from '../processes/wake';
import { askedInTurn } from './session';
import { type PostgresSockets } from './sockets';

/** On PostgreSQL a notification tells at once; the glance finds what was missed while the connection was away. */
const POSTGRES_GLANCE = 2 * SECOND;

/** A server that has not answered the simplest question for this long is away, whatever else it was asked. */
const POSTGRES_AWAY = 4 * SECOND;

/**
 * Holds one connection that is told of changes; where it breaks, the next glance opens it again. Each glance also asks
 * on it whether the server is there: what it answers at once however busy it is.
 */
export function listenToPostgres(
  url: string,
  sockets: PostgresSockets,
  ask: (connection: Client) => Promise<void>,
  greet: (connection: Client) => Promise<void>,
  processName: string,
) {
  let client: Client | null = null;
  /** The same, once it is connected. */
  let connected: Client | null = null;
  let stopped = false;
  let glance: NodeJS.Timeout | undefined;
  let onRegistry = () => {};
  let onWake: (wake: Wake | null) => void = () => {};

  /** Whether the lock on this process's name is held; told once it was tried. */
  const holdsName = Promise.withResolvers<boolean>();

  /** The lock lasts as long as the connection does: whoever finds it free knows that nobody else bears the name. */
  async function lockName(opened: Client): Promise<void> {
    const { rows } = await opened.query<{ held: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as held',
      [`messaging-gateway ${processName}`],
    );
    holdsName.resolve(rows[0]?.held ?? false);
  }

  const forget = (broken: Client) => {
    if (client === broken) client = connected = null;
    broken.end().catch(() => undefined);
  };

  function askWhetherThere(asked: Client): void {
    const giveUpSilent = sockets.sinceNow();
    let isAnswered = false;
    // Judged after what has arrived while this process was busy is read.
    const judge = () => {
      if (isAnswered || client !== asked) return;
      giveUpSilent();
      forget(asked);
    };
    const late = setTimeout(() => setImmediate(judge), POSTGRES_AWAY).unref();
    ask(asked)
      .catch(() => forget(asked))
      .finally(() => {
        isAnswered = true;
        clearTimeout(late);
      });
  }

  async function connect(): Promise<void> {
    const opened = askedInTurn(
      new Client({
        connectionString: url,
        connectionTimeoutMillis: 5 * SECOND,
        stream: () => sockets.open(),
      }),
    );
    const began = performance.now();
    const giveUpSilent = sockets.sinceNow();
    client = opened;
    opened.on('error', () => forget(opened));
    opened.on('notification', ({ channel, payload }) =>
      channel === WAKE_CHANNEL ? onWake(readWake(payload)) : onRegistry(),
    );
    try {
      await opened.connect();
      await opened.query(`listen registry; listen ${WAKE_CHANNEL}`);
      await greet(opened);
      if (stopped) return forget(opened);
      await lockName(opened);
      connected = opened;
      // What changed while nobody listened.
      onRegistry();
      onWake(null);
    } catch {
      forget(opened);
      if (performance.now() - began > POSTGRES_AWAY) giveUpSilent();
    }
  }

  /** From the first listener on: commands that only edit need no connection for it. */
  function start(): void {
    if (glance) return;
    glance = setInterval(() => {
      if (connected) askWhetherThere(connected);
      else if (!client) void connect();
      onRegistry();
    }, POSTGRES_GLANCE).unref();
    void connect();
  }

  return {
    toRegistry(listener: () => void): void {
      onRegistry = listener;
      start();
    },
    toWakes(listener: (wake: Wake | null) => void): void {
      onWake = listener;
      start();
    },
    /** Waits for the connection. */
    holdProcessName(): Promise<boolean> {
      start();
      return holdsName.promise;
    },
    stop(): void {
      stopped = true;
      clearInterval(glance);
      if (client) forget(client);
    },
  };
}
