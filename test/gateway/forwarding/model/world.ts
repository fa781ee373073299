import { FIRST_LIMIT } from '../../../../gateway/forwarding/queue/concurrency-limit';
import { MOST_PREVIOUS_SECRETS } from '../../../../gateway/forwarding/destination';
import { type Store } from '../../../../gateway/store/store';
import { type Write } from '../../../../gateway/store/commit/writes';
import { MINUTE, SECOND } from '../../../../gateway/time';
import { notification } from '../../../support/test-gateway';
import { openForwarding, type Forwarding } from '../support';
import { databaseTime } from './database-time';
import { EXCHANGE_TIMEOUT, modelReceivers, type Manner, type ModelDestination } from './receivers';
import { nextTurn, virtualTime, type Owner } from './virtual-time';

/** A process of the model: the real forwarding on the real store. */
export interface ModelProcess extends Owner {
  forwarding: Forwarding;
  /** Where it dies by itself: as it asks the database for this, or once that is done and before it hears of it. */
  trap: Trap | null;
  /** The last of `heard` that reached it. */
  heard: number;
}

export interface Trap {
  at: 'attempt' | 'notification' | 'read';
  when: 'before' | 'after';
}

/** By which a queue learns what is to be sent. */
const READS = ['untried', 'ofContact', 'due'];

const START = Date.parse('2026-03-01T12:00:00.000Z');
const NEVER = new Promise<never>(() => undefined);

export type World = Awaited<ReturnType<typeof openWorld>>;

/**
 * A database, the processes on it, and the receivers that they call.
 * @param url of an empty database
 */
export async function openWorld(url: string, howManyProcesses: number) {
  const time = virtualTime(START);
  const timeOfDatabase = await databaseTime(url, time.now);
  const receivers = modelReceivers(time);
  const processes: ModelProcess[] = [];
  const closing: Promise<unknown>[] = [];
  /** Deliveries that were acknowledged to upstream, as `receivers.keyOf` names them. */
  const owed = new Set<string>();
  const sent: object[] = [];
  /** What processes are told while the model does not know yet of what; null while they hear it at once. */
  let unheard: (() => void)[] | null = null;
  let saidLast = 0;
  let asked = 0;
  let contactsWrote = 0;
  let crashes = 0;
  let reopened = 0;

  /** Resolves once nobody waits for the database, and nothing follows from its last answer. */
  async function settled(): Promise<void> {
    for (let calm = 0; calm < 3; calm = asked ? 0 : calm + 1) await nextTurn();
  }

  function died(process: ModelProcess): void {
    if (process.dead) return;
    process.dead = true;
    crashes++;
    receivers.died(process);
  }

  /** Lets the store be asked by one process, until that dies. */
  function watched(process: ModelProcess, store: Store): Store {
    const asking =
      <Args extends unknown[], Result>(name: string, ask: (...args: Args) => Promise<Result>) =>
      async (...args: Args): Promise<Result> => {
        const write = name === 'write' ? (args[0] as Write) : null;
        const place = write?.kind ?? (READS.includes(name) ? 'read' : name);
        const isTrapped = process.trap?.at === place;
        if (isTrapped && process.trap?.when === 'before') died(process);
        if (process.dead) return NEVER;
        if (write?.kind === 'attempt') receivers.asked(write.attempt.destination_id, write.attempt.event_id);
        asked++;
        let result: Result;
        try {
          result = await time.outside(() => ask(...args));
          if (write?.kind === 'attempt') receivers.recorded(write.attempt);
          if (isTrapped) died(process);
        } finally {
          asked--;
        }
        return process.dead ? NEVER : result;
      };
    const { deliveries, destinations } = store;
    return {
      ...store,
      write: asking('write', store.write),
      queued: asked_(asking, store.queued),
      deliveries: asked_(asking, deliveries),
      destinations: {
        ...asked_(asking, destinations),
        update: asking('update', async (id, change) => {
          await destinations.update(id, change);
          if (change.paused_at) receivers.pauseStored(id);
        }),
      },
      processes: asked_(asking, inStep(store.processes)),
      owners: asked_(asking, store.owners),
      onWake: (woken) =>
        store.onWake((wake) => {
          const [said = 0] = wake?.waiting ?? [];
          if (said < 0) return void (process.heard = -said);
          const hear = () => {
            if (!process.dead) time.within(process, () => woken(wake));
          };
          if (unheard) unheard.push(hear);
          else hear();
        }),
      registry: asked_(asking, store.registry),
      events: asked_(asking, store.events),
    };
  }

  /** All that a table can be asked, while the database's time is the model's. */
  const inStep = <Table extends object>(table: Table): Table =>
    Object.fromEntries(
      Object.entries(table).map(([name, ask]) => [
        name,
        async (...args: never[]) => {
          await timeOfDatabase.tell();
          return (ask as (...args: never[]) => unknown)(...args);
        },
      ]),
    ) as Table;

  async function open(): Promise<ModelProcess> {
    const process: ModelProcess = { dead: false, trap: null, heard: 0, forwarding: null as never };
    process.forwarding = await openForwarding(url, time.now, {
      watched: (store) => watched(process, store),
      client: receivers.client(process),
      heard: ({ msg, destination }) => {
        if (msg === 'destination fails: its events wait' && !process.dead)
          receivers.opened(process, destination ?? 0);
      },
    });
    processes.push(process);
    await time.within(process, () => process.forwarding.dispatcher.start());
    await settled();
    return process;
  }

  /** What is left of the dead: their connections. What they had begun to write is committed, as on a database. */
  async function bury(): Promise<void> {
    await settled();
    for (const process of processes.filter(({ dead }) => dead)) {
      processes.splice(processes.indexOf(process), 1);
      closing.push(process.forwarding.store.close());
    }
    await Promise.all(closing.splice(0));
  }

  /** Resolves once every process was told what any of them has told before: PostgreSQL keeps to that order. */
  async function heard(): Promise<void> {
    if (operator.store.dialect === 'sqlite') return;
    const said = ++saidLast;
    const isHeard = () => processes.every((process) => process.dead || process.heard >= said);
    for (let tries = 0; !isHeard(); tries++) {
      if (tries === 1000) throw new Error('A process does not hear what others tell it');
      // One that has just been opened may not listen yet.
      await operator.store.wake({ waiting: [-said] });
      for (let turn = 0; turn < 20 && !isHeard(); turn++) await nextTurn();
    }
  }

  /** Somebody changes something: processes hear of it once the model knows what. */
  async function changed(change: () => Promise<void>): Promise<void> {
    await heard();
    await settled();
    unheard = [];
    await change();
    await heard();
    const hear = unheard;
    unheard = null;
    hear.forEach((one) => one());
    await revive();
  }

  /** Processes that died of a trap are replaced, as a supervisor does. */
  async function revive(): Promise<void> {
    await heard();
    await bury();
    while (processes.length < howManyProcesses) {
      reopened++;
      await open();
    }
    await Promise.all(
      processes.map((process) => within(process, () => process.forwarding.registry.refresh())),
    );
    await settled();
  }

  const within = <T>(process: ModelProcess, work: () => Promise<T>): Promise<T | null> =>
    Promise.race([
      time.within(process, work),
      (async () => {
        while (!process.dead) await nextTurn();
        return null;
      })(),
    ]);

  /** Changes what processes have to follow, and reads; nothing of it is killed. As a command beside them does. */
  const operator = await openForwarding(url, time.now);

  const at = (index: number): ModelProcess => processes[index % processes.length] as ModelProcess;

  const addDestination = async (): Promise<ModelDestination> => {
    const to = `http://127.0.0.1:9/${receivers.destinations.length}`;
    const { id, url: address, secret } = await operator.addDestination(to);
    const destination: ModelDestination = {
      id,
      url: address,
      manner: 'takes',
      paused: false,
      pausing: null,
      removed: false,
      secrets: [{ secret, until: Number.POSITIVE_INFINITY }],
      exchanges: new Set(),
      newest: new Map(),
      requests: 0,
      limit: FIRST_LIMIT,
    };
    receivers.destinations.push(destination);
    await revive();
    return destination;
  };

  const active = (): ModelDestination[] => receivers.destinations.filter(({ removed }) => !removed);

  async function receive(body: object, index: number): Promise<void> {
    // Event ids of one millisecond count upwards within one process only.
    await time.pass(1, settled);
    const process = at(index);
    const recorded = await within(process, () => process.forwarding.notified(body));
    // Not acknowledged: upstream sends it again.
    if (recorded === null) await revive();
    else sent.push(body);
    await settled();
  }

  /** Sees from the database what the model cannot know better. */
  async function readAgain({ id }: ModelDestination): Promise<void> {
    for (const row of await operator.store.deliveries.ofDestination(id)) {
      const delivery = receivers.deliveryOf(receivers.keyOf(id, row.event_id));
      if (row.attempts_before !== delivery.attemptsBefore) delivery.replays++;
      delivery.attemptsBefore = row.attempts_before;
      if (row.state === 'pending') delivery.dueAt = Date.parse(row.due_at);
    }
  }

  /** Whatever was found that must not be. */
  function check(): void {
    const failures = processes.flatMap(({ forwarding }) => forwarding.failures);
    if (failures.length) throw new Error(`Logged as an error: ${JSON.stringify(failures)}`);
    if (receivers.violations.length) throw new Error(receivers.violations.join('\n'));
  }

  const rowsOf = ({ id }: ModelDestination) => operator.store.deliveries.ofDestination(id);

  /** Everything that was acknowledged is owed to each destination that there was. */
  async function noteOwed(before: Map<number, number>, events: number): Promise<void> {
    for (const destination of active()) {
      const rows = await rowsOf(destination);
      const more = rows.length - (before.get(destination.id) ?? 0);
      if (more !== events)
        throw new Error(`${more} of ${events} acknowledged events are owed to ${destination.id}`);
      rows.forEach(({ event_id: id }) => owed.add(receivers.keyOf(destination.id, id)));
    }
  }

  return {
    time,
    receivers,
    processes,
    settled,
    active,
    addDestination,
    check,
    counts: () => ({ ...receivers.counts, owed: owed.size, crashes, reopened }),

    async start(): Promise<void> {
      time.install();
      while (processes.length < howManyProcesses) await open();
    },

    /** Contacts write, all in one notification. */
    async write(contacts: number[], index: number): Promise<void> {
      const messages = contacts.map((contact) => {
        const number = ++contactsWrote;
        return {
          from: `1650555000${contact}`,
          id: `wamid.${number}`,
          timestamp: String(Math.floor(time.now() / 1000)),
          type: 'text',
          text: { body: `${number} é 😀` },
        };
      });
      const before = new Map<number, number>();
      for (const destination of active()) before.set(destination.id, (await rowsOf(destination)).length);
      const body = notification({ contacts: [], messages });
      const acknowledged = sent.length;
      await receive(body, index);
      // One that was not acknowledged is sent again until it is.
      if (sent.length === acknowledged) await receive(body, index);
      if (sent.length > acknowledged) await noteOwed(before, contacts.length);
      await revive();
    },

    /** Upstream sends once more what was acknowledged. */
    async repeat(which: number, index: number): Promise<void> {
      const body = sent[which % Math.max(1, sent.length)];
      if (!body) return;
      const before = (await Promise.all(active().map(rowsOf))).map(({ length }) => length);
      await receive(body, index);
      await revive();
      const after = (await Promise.all(active().map(rowsOf))).map(({ length }) => length);
      // A destination that was added after it got nothing of it, and gets nothing now.
      if (before.join() !== after.join()) throw new Error('A repeat was recorded as new');
    },

    async pass(milliseconds: number): Promise<void> {
      await time.pass(milliseconds, settled);
      await revive();
    },

    /** Longer than the processes would live through awake: all but one leave before. */
    async leap(milliseconds: number): Promise<void> {
      if (howManyProcesses > 1) return this.pass(Math.min(milliseconds, 2 * MINUTE));
      await time.leap(milliseconds, settled);
      await revive();
    },

    async pause(destination: ModelDestination): Promise<void> {
      await changed(() => operator.pauseDestination(destination.id));
      destination.paused = true;
      receivers.forget(destination.id);
    },

    async resume(destination: ModelDestination): Promise<void> {
      await changed(async () => {
        destination.paused = false;
        await operator.resumeDestination(destination.id);
        await readAgain(destination);
        receivers.forget(destination.id);
      });
    },

    async remove(destination: ModelDestination): Promise<void> {
      await changed(() => operator.removeDestination(destination.id));
      destination.removed = true;
    },

    async replay(destination: ModelDestination): Promise<void> {
      await changed(async () => {
        await operator.replay(destination.id);
        await readAgain(destination);
      });
    },

    async rotate(destination: ModelDestination, overlap: number): Promise<void> {
      await changed(async () => {
        const secret = await operator.rotateSecret(destination.id, overlap);
        const now = time.now();
        const earlier = destination.secrets
          .filter(({ until }) => now < until)
          .map((one) => (one.until < Number.POSITIVE_INFINITY ? one : { ...one, until: now + overlap }));
        destination.secrets = [
          ...(overlap ? earlier.slice(-MOST_PREVIOUS_SECRETS) : []),
          { secret, until: Number.POSITIVE_INFINITY },
        ];
      });
    },

    /** kill -9, now or at the next thing of that kind that it does. */
    async crash(index: number, trap: Trap | null): Promise<void> {
      const process = at(index);
      if (trap) {
        process.trap = trap;
        return;
      }
      died(process);
      await revive();
    },

    /** SIGTERM and a new start. */
    async restart(index: number): Promise<void> {
      const process = at(index);
      let isOver = false;
      const stopped = within(process, () => process.forwarding.dispatcher.stop()).then(() => (isOver = true));
      // What hangs is waited for.
      for (let seconds = 0; !isOver && seconds < 60; seconds++) await time.pass(SECOND, settled);
      if (!isOver) throw new Error('A process does not end');
      await stopped;
      process.dead = true;
      await revive();
    },

    setManner(destination: ModelDestination, manner: Manner): void {
      destination.manner = manner;
    },

    /** From here on every receiver takes what comes; everything that is still owed has to arrive. */
    async drain(): Promise<void> {
      for (const process of processes) process.trap = null;
      while (howManyProcesses > 1 && processes.length > 1) {
        howManyProcesses = 1;
        await this.restart(1);
      }
      for (const destination of active()) destination.manner = 'takes';
      // What hangs still fails, and may be the last failure before a pause.
      await this.pass(EXCHANGE_TIMEOUT + SECOND);
      for (const destination of active()) await this.resume(destination);
      for (let turn = 0; turn < 300; turn++) {
        await this.pass(11 * SECOND);
        this.check();
        const rows = (await Promise.all(receivers.destinations.map(rowsOf))).flat();
        const due = rows.flatMap(({ state, due_at }) => (state === 'pending' ? [Date.parse(due_at)] : []));
        if (!due.length) return;
        const wait = Math.min(...due) - time.now();
        await this.leap(wait > 0 ? wait : MINUTE);
      }
      throw new Error('Something is still owed, though all receivers take everything');
    },

    /** Nothing is lost, and nothing came more often than it may. */
    async account(): Promise<void> {
      const { store } = operator;
      const seen = new Set<string>();
      for (const destination of receivers.destinations) {
        for (const row of await rowsOf(destination)) {
          const key = receivers.keyOf(row.destination_id, row.event_id);
          seen.add(key);
          const { taken, unrecorded, replays } = receivers.deliveryOf(key);
          const numbers = (await store.deliveries.attemptsOf(row.destination_id, row.event_id)).map(
            ({ number }) => number,
          );
          const must = (holds: boolean, sentence: string): void => {
            if (!holds) throw new Error(`${key} ${sentence}: ${JSON.stringify(row)}`);
          };
          must(row.state !== 'pending', 'is still owed');
          must(row.state !== 'canceled' || destination.removed, 'is canceled although nobody asked for it');
          must(row.state !== 'delivered' || taken > 0, 'is called delivered and never was');
          must(taken <= 1 + replays + unrecorded, `was taken ${taken} times`);
          must(
            numbers.every((number, index) => number === index + 1) &&
              // What was on its way when its destination was removed is recorded, and counts no more.
              (row.state === 'canceled' ? numbers.length >= row.attempts : numbers.length === row.attempts),
            `has attempts ${numbers.join()}`,
          );
        }
      }
      for (const key of owed) if (!seen.has(key)) throw new Error(`${key} is lost`);
    },

    async close(): Promise<void> {
      for (const process of processes) process.dead = true;
      await bury();
      await operator.store.close();
      await timeOfDatabase.close();
      time.uninstall();
    },
  };
}

/** All that a table can be asked, each through `asking`. */
function asked_<Table extends object>(
  asking: (name: string, ask: (...args: never[]) => Promise<unknown>) => unknown,
  table: Table,
): Table {
  return Object.fromEntries(
    Object.entries(table).map(([name, ask]) => [name, asking(name, ask as never)]),
  ) as Table;
}
