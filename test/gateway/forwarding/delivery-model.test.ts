import { writeFileSync } from 'node:fs';
import { DATABASES } from '../../support/databases';
import { runModel } from './model/commands';

/** `npm run prove -- delivery-model` sets these: more runs, each time from another seed, and where its figures go. */
const { MODEL_RUNS, MODEL_PROCESSES, MODEL_SEED, MODEL_PATH, MODEL_FIGURES, MODEL_AS_IS } = process.env;
const RUNS = { SQLite: 8, PostgreSQL: 2 } as Record<string, number>;

describe.each(DATABASES)('whatever happens, in whatever order ($name)', ({ name, createUrl }) => {
  test('nothing is lost, and nothing goes out twice at once, too early, out of order or unsigned', async () => {
    const runs = Number(MODEL_RUNS ?? RUNS[name]);
    const figures = await runModel({
      createUrl,
      runs,
      processes: Number(MODEL_PROCESSES ?? 1),
      asItIs: MODEL_AS_IS !== undefined,
      seed: Number(MODEL_SEED ?? 2024),
      ...(MODEL_PATH && { path: MODEL_PATH }),
    });
    if (MODEL_FIGURES) writeFileSync(MODEL_FIGURES, JSON.stringify(figures));
    expect(figures.runs).toBe(runs);
    // What was to happen did happen.
    expect(figures.totals.owed).toBeGreaterThan(0);
    expect(figures.totals.delivered).toBeGreaterThan(0);
  }, 3_600_000);
});
