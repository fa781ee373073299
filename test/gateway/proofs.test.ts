import { burst } from '../prove/burst';
import { drain } from '../prove/drain';
import { killStorm } from '../prove/kill-storm';
import { move } from '../prove/move';
import { noisyNeighbour } from '../prove/noisy-neighbour';
import { parallelIdempotency } from '../prove/parallel-idempotency';
import { processRoles } from '../prove/process-roles';
import { questions } from '../prove/questions';
import { setStage, type Ground, type Proof } from '../prove/proof';
import { usage } from '../prove/usage';
import { DATABASES, temporaryFolder } from '../support/databases';

const [, ON_POSTGRES] = DATABASES as [(typeof DATABASES)[0], (typeof DATABASES)[0]];

/** The same proof as `npm run prove` has, with smaller figures. @returns what did not hold */
async function faultsOf<Sizes extends Record<string, number>>(
  proof: Proof<Sizes>,
  sizes: Sizes,
  { name, createUrl }: (typeof DATABASES)[number],
): Promise<string[]> {
  const stage = setStage({
    ground: name as Ground,
    databaseUrl: await createUrl(),
    folder: temporaryFolder(),
    sizes,
    seed: Math.floor(Math.random() * 1e9),
    tell: () => undefined,
  });
  try {
    return (await proof.run(stage)).faults;
  } finally {
    await stage.clear();
  }
}

describe.each(DATABASES)('a gateway on $name', (database) => {
  test('that is killed again and again loses no event, and repeats only what was in flight', async () => {
    const sizes = { events: 300, kills: 4, failing: 1, contacts: 100 };
    expect(await faultsOf(killStorm, sizes, database)).toEqual([]);
  });

  test('that is told to end finishes what is on its way, and loses and repeats nothing', async () => {
    const sizes = { deliveries: 200, destinations: 10, slow: 1000 };
    expect(await faultsOf(drain, sizes, database)).toEqual([]);
  });

  test('lets no destination wait for those that hang', async () => {
    // Whoever waits for one that hangs waits for its 20 seconds.
    const sizes = { seconds: 3, rate: 5, hanging: 150, healthy: 15, budget: 18_000, late: 10 };
    expect(await faultsOf(noisyNeighbour, sizes, database)).toEqual([]);
  });

  test('holds no line up while one notification owes thousands of deliveries', async () => {
    // What the neighbour has recorded between the parts is counted; no clock judges.
    const sizes = { messages: 200, destinations: 100, seconds: 2, rate: 40, budget: Infinity, late: 25 };
    expect(await faultsOf(burst, sizes, database)).toEqual([]);
  });

  test('makes one upstream call for 100 sends under one key, and none again after a kill', async () => {
    const sizes = { keys: 1, parallel: 100, kills: 1 };
    expect(await faultsOf(parallelIdempotency, sizes, database)).toEqual([]);
  });

  test('that is killed while it asks and is answered loses no answer, and asks nobody twice', async () => {
    expect(await faultsOf(questions, { questions: 100, kills: 1 }, database)).toEqual([]);
  });

  test("counts each day's usage as the platform's own book does, though it is killed in between", async () => {
    expect(await faultsOf(usage, { sends: 100, stages: 2, kills: 2 }, database)).toEqual([]);
  });
});

test('a gateway that moves from SQLite to PostgreSQL loses no event and no order', async () => {
  const bare = { ...ON_POSTGRES, createUrl: ON_POSTGRES.createBareUrl };
  expect(await faultsOf(move, { events: 8_000, seconds: 2, rate: 60, kills: 1 }, bare)).toEqual([]);
});

test('gateways of one role each deliver in order what another received, though one of each is killed', async () => {
  expect(await faultsOf(processRoles, { events: 600, contacts: 40, rate: 100 }, ON_POSTGRES)).toEqual([]);
});
