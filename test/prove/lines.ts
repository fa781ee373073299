import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as offlineModule from '../../gateway/cli/offline';
import type * as destinationModule from '../../gateway/forwarding/destinations/destination-rows';
import { addLine } from '../support/add-line';
import { PHONE_NUMBER_ID, WABA_ID } from '../support/test-gateway';

// As it is shipped: it has worker threads, which are compiled.
const shipped = createRequire(join(__dirname, '../../gateway/build/main.js'));
const { offline } = shipped('./cli/offline') as typeof offlineModule;
const { insertDestination } = shipped(
  './forwarding/destinations/destination-rows',
) as typeof destinationModule;

/** One of several lines of a gateway. */
export interface PlacedLine {
  phoneNumberId: string;
  token: string;
}

/**
 * Adds a line for each list of destinations, before a gateway runs: no handshake is made, and there may be more of them
 * than a token may register.
 */
export const addLines = (env: Record<string, string>, lines: string[][]): Promise<PlacedLine[]> =>
  offline(
    env,
    async (world) => {
      const placed: PlacedLine[] = [];
      for (const [index, urls] of lines.entries()) {
        const phoneNumberId = String(BigInt(PHONE_NUMBER_ID) + BigInt(index));
        const { row, token } = await addLine(world, {
          name: `Proof ${index + 1}`,
          phoneNumberId,
          phoneNumber: String(15550783881 + index),
          wabaId: WABA_ID,
          accessToken: 'upstream-access-token',
          appSecret: 'app-secret-of-this-line',
          windowMode: 'upstream',
        });
        for (const url of urls) await insertDestination(world, row.id, { url, origin: 'token' });
        placed.push({ phoneNumberId, token });
      }
      return placed;
    },
    'first command',
  );
