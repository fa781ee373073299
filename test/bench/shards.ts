import { createHash } from 'node:crypto';
import { DAY, HOUR, SECOND } from '../../gateway/time';
import { quantile } from './load';
import { sizesOf, type Options } from './options';

/**
 * `messages`: received a day by all customers, who send as many. `skew`: exponent of Zipf's law, by which the customer
 * of rank r has r^-skew of the first one's messages. `line`: messages a day of one line at most, in each direction.
 * The rest is measured: CPU microseconds and bytes of a message on PostgreSQL (`npm run bench -- costs`), and the bytes
 * that `migrate-to` copies in a second.
 */
const USUAL = {
  shards: 100,
  customers: 5000,
  messages: 200_000_000,
  skew: 1,
  line: 100_000,
  'received-us': 320,
  'sent-us': 1100,
  'received-bytes': 1950,
  'sent-bytes': 6880,
  'text-bytes': 2170,
  'copied-bytes': 10_000_000,
};
type Sizes = typeof USUAL;

/** How much busier the busiest hour is than the average. */
const PEAK = 4;
/** Days that the gateway keeps texts and records, unless it is set otherwise; records by partitions of a week. */
const KEPT = { texts: 30, records: 97 };

/** What is moved as a whole: a customer, or one line. */
interface Unit {
  name: string;
  customer: number;
  /** Messages received a day; as many are sent. */
  messages: number;
}

/**
 * Places customers on shards, each a database of its own with its gateways, and prints what the fullest shard carries,
 * what moving a customer costs, and what the failure of a shard reaches. It measures nothing: it multiplies measured
 * costs.
 */
export async function benchShards(options: Options): Promise<string[]> {
  const sizes = sizesOf(options, USUAL);
  const customers = customersOf(sizes);
  const lines = customers.flatMap((customer) => linesOf(customer, sizes.line));
  const placements: [string, Unit[], number[]][] = [
    ['customers by hash', customers, customers.map(({ name }) => byHash(name, sizes.shards))],
    ['customers by assignment', customers, byAssignment(customers, sizes.shards)],
    ['lines by hash', lines, lines.map(({ name }) => byHash(name, sizes.shards))],
    ['lines by assignment', lines, byAssignment(lines, sizes.shards)],
  ];
  const mean = sizes.messages / sizes.shards;
  const heads = ['× the mean', 'cores', 'TB', 'of messages', 'customers'];
  return [
    `${sizes.customers} customers with ${lines.length} lines on ${sizes.shards} shards; ${millions(sizes.messages)} messages a day in each direction,`,
    `${percent((customers[0]?.messages ?? 0) / sizes.messages)} of them by the largest customer (Zipf ${sizes.skew})`,
    '',
    `The mean shard: ${millions(mean)} messages a day in each direction, ${describe(mean, sizes)}`,
    '',
    `${'The fullest shard:'.padEnd(26)}${heads.map((head) => head.padStart(12)).join('')}`,
    ...placements.map(([name, units, shards]) => fullest(name, units, shards, sizes)),
    '',
    ...moves(customers, sizes),
    '',
    ...growth(customers, sizes),
  ];
}

function customersOf({ customers, messages, skew }: Sizes): Unit[] {
  const weights = Array.from({ length: customers }, (_, rank) => (rank + 1) ** -skew);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight, rank) => ({
    name: `customer-${rank}`,
    customer: rank,
    messages: (messages * weight) / sum,
  }));
}

/** Divides a customer into as few lines as its messages need. */
function linesOf({ name, customer, messages }: Unit, most: number): Unit[] {
  const count = Math.ceil(messages / most);
  return Array.from({ length: count }, (_, index) => ({
    name: `${name}-line-${index}`,
    customer,
    messages: messages / count,
  }));
}

/** @returns a uniform number for a text, from 0 to 2³² - 1 */
const hash = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE();

const byHash = (name: string, shards: number): number => hash(name) % shards;

/** The shard with the highest hash: a new shard only takes what it has itself. */
const byHighestHash = (name: string, shards: number): number => {
  const hashes = Array.from({ length: shards }, (_, shard) => hash(`${name}@${shard}`));
  return hashes.indexOf(Math.max(...hashes));
};

/** The largest first, each to the shard that has the least. */
function byAssignment(units: Unit[], shards: number): number[] {
  const loads = new Array<number>(shards).fill(0);
  const placed = new Array<number>(units.length).fill(0);
  const order = units.map((_, index) => index).sort((one, other) => of(units, other) - of(units, one));
  for (const index of order) {
    const shard = loads.indexOf(Math.min(...loads));
    placed[index] = shard;
    loads[shard] = (loads[shard] ?? 0) + of(units, index);
  }
  return placed;
}

const of = (units: Unit[], index: number): number => units[index]?.messages ?? 0;

interface Shard {
  messages: number;
  customers: Set<number>;
}

function shardsOf(units: Unit[], shards: number[], count: number): Shard[] {
  const all = Array.from({ length: count }, (): Shard => ({ messages: 0, customers: new Set() }));
  for (const [index, { messages, customer }] of units.entries()) {
    const shard = all[shards[index] ?? 0];
    if (!shard) continue;
    shard.messages += messages;
    shard.customers.add(customer);
  }
  return all;
}

function fullest(name: string, units: Unit[], shards: number[], sizes: Sizes): string {
  const all = shardsOf(units, shards, sizes.shards);
  const messages = Math.max(...all.map((shard) => shard.messages));
  return [
    name.padEnd(26),
    ((messages * sizes.shards) / sizes.messages).toFixed(2).padStart(12),
    coresOf(messages, sizes).toFixed(2).padStart(12),
    (storedBytes(messages, sizes) / 1e12).toFixed(2).padStart(12),
    percent(messages / sizes.messages).padStart(12),
    String(Math.max(...all.map((shard) => shard.customers.size))).padStart(12),
  ].join('');
}

/** Cores in the busiest hour, of gateways and PostgreSQL. */
const coresOf = (messages: number, sizes: Sizes): number =>
  (messages * (sizes['received-us'] + sizes['sent-us']) * PEAK) / 1e6 / (DAY / SECOND);

/** Bytes that the database has when the oldest are deleted as fast as new ones are stored. */
const storedBytes = (messages: number, sizes: Sizes): number => {
  const both = sizes['received-bytes'] + sizes['sent-bytes'];
  return messages * ((both - sizes['text-bytes']) * KEPT.records + sizes['text-bytes'] * KEPT.texts);
};

const describe = (messages: number, sizes: Sizes): string =>
  `${coresOf(messages, sizes).toFixed(2)} cores in the busiest hour, ${(storedBytes(messages, sizes) / 1e9).toFixed(0)} GB`;

function moves(customers: Unit[], sizes: Sizes): string[] {
  const bytes = customers
    .map(({ messages }) => storedBytes(messages, sizes))
    .sort((one, other) => one - other);
  const cost = (part: number) => {
    const size = quantile(bytes, part);
    const seconds = size / sizes['copied-bytes'];
    const time =
      seconds < HOUR / SECOND ? `${Math.ceil(seconds)} s` : `${((seconds * SECOND) / HOUR).toFixed(1)} h`;
    return `${(size / 1e9).toFixed(2)} GB, ${time}`;
  };
  return [`To move a customer: median ${cost(0.5)}; 99th percentile ${cost(0.99)}; largest ${cost(1)}`];
}

/** What one more shard moves. */
function growth(customers: Unit[], { shards, messages }: Sizes): string[] {
  const moved = (place: (name: string, shards: number) => number) => {
    const units = customers.filter(({ name }) => place(name, shards) !== place(name, shards + 1));
    const load = units.reduce((sum, unit) => sum + unit.messages, 0);
    return `${units.length} customers with ${percent(load / messages)} of the messages`;
  };
  return [
    `One more shard moves, by hash modulo: ${moved(byHash)}`,
    `                      by highest hash: ${moved(byHighestHash)}`,
    '                      by assignment: only those whom you choose',
  ];
}

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
const millions = (count: number): string => `${(count / 1e6).toFixed(1)} million`;
