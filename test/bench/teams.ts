import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { processesOf } from '../prove/look-after';
import { freePort } from '../support/postgres';
import { COMPILED_AFTER, startReceivers, untilForwarded } from './events';
import { loadOn, median } from './load';
import { notificationRequest } from './notifications';
import { sizesOf, type Options } from './options';
import { cpuOf, cpuOfAll } from './processes';
import { CORES, Ground, loadNow } from './stand';

/** `round` in milliseconds. */
const USUAL = { rounds: 7, round: 2000, 'at-once': 64 };
const DESTINATIONS = 10;

/** The roles of each process; null: all of them. */
const TEAMS: { name: string; roles: (string | null)[] }[] = [
  { name: 'one', roles: [null] },
  { name: 'two', roles: [null, null] },
  { name: 'four', roles: ['inbound', 'inbound', 'deliver', 'deliver'] },
];

/**
 * Compares several gateways on one PostgreSQL with one, in turn. They share the server, the load and the cores.
 */
export async function benchProcesses(options: Options): Promise<string[]> {
  const ground = new Ground();
  try {
    const before = loadNow();
    return [
      ...(await compareTeams(ground, sizesOf(options, USUAL))),
      `(${before} before, ${loadNow()} after)`,
    ];
  } finally {
    await ground.clear();
  }
}

async function compareTeams(ground: Ground, sizes: typeof USUAL): Promise<string[]> {
  // Each of two gets as many parallel requests as a single one; with half as many, its commits would be half as
  // large.
  const atOnce = 2 * sizes['at-once'];
  const receiver = await startReceivers(ground, DESTINATIONS);
  const start = async ({ name, roles }: (typeof TEAMS)[number]) => {
    const stand = await ground.prepare(
      await ground.postgres(),
      receiver.urls.map((url) => [`${url}/hook`]),
    );
    const gateways = [];
    for (const own of roles) {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const place = { GATEWAY_PORT: String(port), GATEWAY_PUBLIC_URL: url };
      gateways.push(
        await ground.start({
          env: own === null ? stand.env : { ...stand.env, ...place, GATEWAY_ROLES: own },
        }),
      );
    }
    const receiving = gateways.filter((_, index) => roles[index] !== 'deliver');
    const loads = receiving.map(({ url }) => loadOn(url, atOnce / receiving.length));
    for (const load of loads) ground.atEnd(() => load.end());
    return {
      ...{ name, stand, gateways, loads },
      aSecond: [] as number[],
      gateway: [] as number[],
      postgres: [] as number[],
      rest: [] as number[],
    };
  };
  type Team = Awaited<ReturnType<typeof start>>;
  const teams: Team[] = [];
  for (const team of TEAMS) teams.push(await start(team));
  const server = await ground.postgresServer();
  const cpuOfServer = () => cpuOfAll(processesOf(server));
  const round = async (of: Team, name: string) => {
    await request(receiver.url, { method: 'DELETE' });
    const cpu = () => ({
      gateway: cpuOfAll(of.gateways.map(({ pid }) => pid)),
      postgres: cpuOfServer(),
      rest: cpuOf(process.pid) + cpuOf(receiver.pid),
    });
    const [before, begun] = [cpu(), performance.now()];
    const { lines } = of.stand;
    const posted = await Promise.all(
      of.loads.map((load, which) =>
        load.atFullSpeed(
          (index) =>
            notificationRequest(
              `wamid.${name}-${which}-${index}`,
              index,
              lines[index % lines.length]?.phoneNumberId,
            ),
          sizes.round,
          atOnce / of.loads.length,
        ),
      ),
    );
    const count = posted.reduce((sum, part) => sum + part, 0);
    await untilForwarded(receiver.url, count);
    const [after, took] = [cpu(), performance.now() - begun];
    of.aSecond.push((count * 1000) / took);
    for (const part of ['gateway', 'postgres', 'rest'] as const)
      of[part].push(((after[part] - before[part]) * 1000) / count);
    return count;
  };
  for (const of of teams) {
    // Each destination has an owner by then.
    await round(of, 'first');
    await wait(6000);
    for (let done = 0; done < COMPILED_AFTER * of.gateways.length;)
      done += await round(of, `warm-up-${done}`);
    Object.assign(of, { aSecond: [], gateway: [], postgres: [], rest: [] });
  }
  for (let index = 0; index < sizes.rounds; index++)
    for (const of of teams) await round(of, `round-${index}`);
  const row = ({ name, aSecond, gateway, postgres, rest }: Team) =>
    [
      name.padEnd(12),
      ...[median(aSecond).toFixed(0).padStart(10)],
      ...[gateway, postgres, rest].map((part) => median(part).toFixed(0).padStart(12)),
    ].join('');
  const [one, ...others] = teams as [Team, ...Team[]];
  const [g, p, l] = [median(one.gateway), median(one.postgres), median(one.rest)];
  // One gateway is limited by its single thread or by the cores; several share all cores.
  const possible = (CORES * g) / (g + p + l);
  const compared = (of: Team) => {
    const [ratio, most] = [median(of.aSecond) / median(one.aSecond), Math.min(of.gateways.length, possible)];
    return `${of.name} ÷ one: ${ratio.toFixed(2)}; what ${CORES} cores allow, ${CORES}g ÷ (g + p + l): ${most.toFixed(2)}; of that ${(ratio / most).toFixed(2)}`;
  };
  return [
    `Events, PostgreSQL, ${DESTINATIONS} lines of one destination each, ${atOnce} at once: two processes, and two that receive with two that deliver, beside one; medians`,
    '',
    `${''.padEnd(12)}${'/s'.padStart(10)}${'µs: gateway'.padStart(12)}${'PostgreSQL'.padStart(12)}${'load'.padStart(12)}`,
    ...teams.map(row),
    '',
    ...others.map(compared),
  ];
}
