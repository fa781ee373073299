import { type Pool } from 'pg';
import { WAKE_CHANNEL, wakeText } from '../processes/wake';

export interface ArrivalWakes {
  /** Wakes the owners of these destinations. */
  tell(destinationIds: number[]): void;
  /** Resolves when all notifications are sent. */
  drained(): Promise<void>;
}

/**
 * Wakes the owners of destinations for which this process recorded deliveries, after the commit. Nothing waits for
 * it: one wake runs at a time, and later ones are merged into the next. It commits without waiting for the disk,
 * because a notification blocks all others on the server until its commit. If a wake fails, a scan finds the rows.
 */
export function arrivalWakes(pool: Pick<Pool, 'query'>): ArrivalWakes {
  let untold = new Set<number>();
  let telling: Promise<void> | null = null;

  async function tellAll(): Promise<void> {
    while (untold.size) {
      const arrived = [...untold];
      untold = new Set();
      await pool
        .query(`select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`, [
          WAKE_CHANNEL,
          wakeText({ arrived }),
        ])
        .catch(() => undefined);
    }
    telling = null;
  }

  return {
    tell(destinationIds) {
      destinationIds.forEach((id) => untold.add(id));
      if (untold.size) telling ??= tellAll();
    },
    drained: async () => void (await telling),
  };
}
