import { until } from '../support/http-peer';
import { faultsOf, lateOf, MOST_IN_FLIGHT, milliseconds, quantile, settle, untilTaken } from './account';
import { startCrowd } from './crowd';
import { launch, settingsOf, urlOf } from './gateway';
import { addLines, type PlacedLine } from './lines';
import { contactsOf, produce, type Producer, type Production } from './producer';
import { type Proof } from './proof';
import { startReceiver, type Receiver } from './receiver';

/** Lines whose destinations mostly hang, and lines without such destinations. */
const NOISY_LINES = 3;
const QUIET_LINES = 2;
/** Share of the healthy destinations that are on noisy lines. */
const AMONG_NOISY = 0.6;
/** Events of one notification that fills every destination's limit of events in flight. */
const FILLS = 12;
/**
 * An event behind a hanging one waits for its timeout of 20 s. Any other cause of delay takes less than half
 * of that (milliseconds).
 */
const LONGEST_OTHERWISE = 10_000;

/** A line and its healthy destinations. */
interface Neighbours extends PlacedLine {
  healthy: Receiver[];
}

export const noisyNeighbour: Proof<{
  seconds: number;
  rate: number;
  hanging: number;
  healthy: number;
  budget: number;
  late: number;
}> = {
  name: 'noisy-neighbour',
  proves:
    'with 300 of 350 destinations hanging, on three lines that also have 30 of the others, every event to the 50 others starts within 250 ms (P9)',
  on: ['SQLite', 'PostgreSQL'],
  // `rate` is the total of all lines.
  sizes: { seconds: 45, rate: 10, hanging: 300, healthy: 50, budget: 250, late: 0 },

  async run(stage) {
    const { sizes } = stage;
    const noise = await startCrowd(stage, sizes.hanging, 'takes');
    const healthy = await Promise.all(Array.from({ length: sizes.healthy }, () => startReceiver()));
    for (const { close } of healthy) stage.atEnd(close);
    const amongNoisy = Math.round(sizes.healthy * AMONG_NOISY);
    const groups = [
      ...inParts(healthy.slice(0, amongNoisy), NOISY_LINES),
      ...inParts(healthy.slice(amongNoisy), QUIET_LINES),
    ];
    const noisyUrls = inParts(noise.urls, NOISY_LINES);
    const env = await settingsOf(stage);
    const placed = await addLines(
      env,
      groups.map((group, index) => [...group.map(({ url }) => `${url}/hook`), ...(noisyUrls[index] ?? [])]),
    );
    const lines = placed.map((line, index): Neighbours => ({
      ...line,
      healthy: groups[index] ?? [],
    }));
    await launch(stage, env).listening;

    const producers = new Map(lines.map((line) => [line, [] as Producer[]]));
    const post = (
      line: Neighbours,
      name: string,
      more: Pick<Production, 'count'> & Partial<Production>,
    ): Producer => {
      const { phoneNumberId } = line;
      const producer = produce({
        ...{ url: () => urlOf(env), contacts: contactsOf(40), atOnce: 8, ...more },
        ...{ name: `${name}-${phoneNumberId}`, phoneNumberId },
      });
      stage.atEnd(producer.stop);
      producers.get(line)?.push(producer);
      return producer;
    };
    /**
     * Posts one notification on each noisy line, with more events than hanging destinations accept at once.
     * @param coming how many of them reach the crowd
     */
    const fill = async (name: string, coming: number): Promise<void> => {
      const all = lines.slice(0, NOISY_LINES).map((line) => ({
        producer: post(line, name, { count: FILLS, each: FILLS, atOnce: 1 }),
        receivers: line.healthy,
      }));
      await Promise.all(all.map(({ producer }) => producer.done));
      await Promise.all(
        all.map(({ producer, receivers }) => untilTaken([producer], receivers, 3 * LONGEST_OTHERWISE)),
      );
      await until(async () => (await noise.ask()).came >= coming, 3 * LONGEST_OTHERWISE);
    };
    /**
     * Posts events on all lines.
     * @returns milliseconds until each started, at each healthy destination
     */
    const told = async (name: string): Promise<number[]> => {
      const all = lines.map((line) => {
        const count = Math.ceil((sizes.rate * sizes.seconds) / lines.length);
        const producer = post(line, name, { count, rate: sizes.rate / lines.length });
        return { producer, receivers: line.healthy };
      });
      await Promise.all(all.map(({ producer }) => producer.done));
      // Events that are still missing count as if they arrived now.
      const isAllTaken = await Promise.all(
        all.map(({ producer, receivers }) => untilTaken([producer], receivers, 2 * LONGEST_OTHERWISE)),
      );
      if (isAllTaken.includes(false)) stage.tell(`${name}: not all has arrived`);
      const now = performance.now();
      return all.flatMap(({ producer, receivers }) =>
        receivers.flatMap(({ arrivals }) => {
          const first = new Map<string, number>();
          for (const { wamid, at } of arrivals) if (!first.has(wamid)) first.set(wamid, at);
          return producer.acknowledged().map(({ wamid, postedAt }) => (first.get(wamid) ?? now) - postedAt);
        }),
      );
    };

    // Opens connections, and gives the crowd a history of quick answers.
    await fill('first', FILLS * sizes.hanging);
    const calm = await told('calm');
    await noise.become('hangs');
    await fill('all', 0);
    const noisy = await told('noisy');
    const { mostOpen, withOpen } = await noise.ask();

    const accounts = lines.flatMap((line) =>
      line.healthy.map(({ arrivals }) => settle(producers.get(line) ?? [], arrivals)),
    );
    const faults = accounts.flatMap(faultsOf);
    const repeated = accounts.reduce((sum, account) => sum + account.repeated.length, 0);
    if (repeated) faults.push(`${repeated} events were repeated`);
    const late = lateOf(noisy, sizes);
    if (late) faults.push(`Events to healthy destinations started late: ${late}`);
    if (!withOpen) faults.push('Nothing hung');
    if (mostOpen > MOST_IN_FLIGHT) faults.push(`${mostOpen} requests were open at one that hangs`);
    const figure = (took: number[]) =>
      `p50 ${milliseconds(quantile(took, 0.5))}, p99 ${milliseconds(quantile(took, 0.99))}, longest ${milliseconds(Math.max(...took))}`;
    return {
      figures: {
        'deliveries to the healthy ones, each time': noisy.length,
        lost: accounts.reduce((sum, account) => sum + account.lost.length, 0),
        repeated,
        'posted → started, while nothing hangs': figure(calm),
        [`posted → started, while ${sizes.hanging} hang`]: `${figure(noisy)} (${milliseconds(sizes.budget)} allowed)`,
        'hanging with requests open at the end': withOpen,
        'open at once at one that hangs, at most': mostOpen,
      },
      faults,
    };
  },
};

/** Splits a list into parts of nearly equal size. */
const inParts = <T>(all: T[], count: number): T[][] =>
  Array.from({ length: count }, (_nothing, part) => all.filter((_one, index) => index % count === part));
