import { Client } from 'pg';
import { SECOND } from '../../time';
import { readWake, WAKE_CHANNEL, type Wake } from '../processes/wake';
import { askedInTurn } from './session';
import { type PostgresSockets } from './sockets';

/**
 * The time between two checks, which find what was missed while the connection was broken. Otherwise
 * notifications arrive immediately.
 */
const POSTGRES_GLANCE = 2 * SECOND;

/** A server that does not answer the simplest query for this long counts as away. */
const POSTGRES_AWAY = 4 * SECOND;

/**
 * Holds one connection that receives notifications of changes. If it breaks, the next check opens it again.
 * Each check also tests whether the server answers a simple query, which it does quickly even under load.
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

  /** Resolves with whether this process has the lock on its name. */
  const holdsName = Promise.withResolvers<boolean>();

  /** The lock lasts as long as the connection: a process that gets it knows that no other one has the name. */
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
    // Decided after reading what has arrived while this process was busy.
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
      // Something may have changed while no connection listened.
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
    /** Resolves once the connection has been made. */
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
