import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import { createDatabase, postgresServer } from '../support/postgres';
import { outage } from './outage';
import { type Proof } from './proof';
import { setUnderLoad } from './under-load';

export const databaseAway: Proof<{ seconds: number; rate: number }> = {
  name: 'database-away',
  proves:
    'while the PostgreSQL server is stopped there is 503 and nothing worse; all goes on within 5 s of its return (P23)',
  on: ['PostgreSQL'],
  sizes: { seconds: 60, rate: 50 },

  async run(stage) {
    const server = await postgresServer({
      folder: join(stage.folder, 'postgres'),
      persistent: true,
    });
    await server.start();
    stage.atEnd(server.stop);
    const load = await setUnderLoad(
      { ...stage, databaseUrl: await createDatabase(server.url) },
      stage.sizes.rate,
    );
    await wait(2000);
    const away = await outage({
      name: 'stopped',
      ...load,
      goAway: server.stop,
      comeBack: server.start,
      lasts: stage.sizes.seconds * 1000,
    });
    await wait(3000);
    const { figures, faults } = await load.finish();
    return { figures: { ...figures, ...away.figures }, faults: [...away.faults, ...faults] };
  },
};
