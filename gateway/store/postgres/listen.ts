import { Client, type ClientConfig } from 'pg';
import { SECOND } from '../../time';
import { readWake, WAKE_CHANNEL, type Wake } from '../processes/wake';
import { askedInTurn } from './session';
import { type PostgresSockets } from './sockets';

/**
 * The time between checks, which find changes missed while the connection was broken. Otherwise notifications arrive
 * immediately.
 */
const POSTGRES_GLANCE = 2 * SECOND;

/** A server that does not answer the simplest query for this long counts as unreachable. */
const POSTGRES_AWAY = 4 * SECOND;

/**
 * Keeps one connection that receives change notifications, and reopens it at the next check if it breaks. Each check
 * also tests whether the server answers a simple query, which is quick even under load.
 */
export function listenToPostgres(
  to: ClientConfig,
  sockets: PostgresSockets,
  ask: (connection: Client) => Promise<void>,
  greet: (connection: Client) => Promise<void>,
  processName: string,
) {
  let client: Client | null = null;
  /** `client` after it has connected; null before. */
  let connected: Client | null = null;
  let stopped = false;
  let glance: NodeJS.Timeout | undefined;
  let onRegistry = () => {};
  let onWake: (wake: Wake | null) => void = () => {};

  /** Resolves with whether this process holds the lock on its name. */
  const holdsName = Promise.withResolvers<boolean>();

  /** The lock lasts as long as the connection, so a process that gets it is the only one with the name. */
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
    // Decided after reading messages that arrived while this process was busy.
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
        ...to,
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
      // Changes may have been missed while no connection was listening.
      onRegistry();
      onWake(null);
    } catch {
      forget(opened);
      if (performance.now() - began > POSTGRES_AWAY) giveUpSilent();
    }
  }

  /** Starts with the first listener: commands that only edit need no such connection. */
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
