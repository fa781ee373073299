import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as offlineModule from '../../gateway/cli/offline';
import type * as destinationModule from '../../gateway/forwarding/destinations/destination-rows';
import { addLine } from '../support/add-line';
import { PHONE_NUMBER_ID, WABA_ID } from '../support/test-gateway';

// Uses the compiled gateway, which its worker threads need.
const shipped = createRequire(join(__dirname, '../../gateway/build/main.js'));
const { offline } = shipped('./cli/offline') as typeof offlineModule;
const { insertDestination } = shipped(
  './forwarding/destinations/destination-rows',
) as typeof destinationModule;

/** One line of a gateway that has several. */
export interface PlacedLine {
  phoneNumberId: string;
  token: string;
}

/**
 * Adds a line for each list of destinations, before a gateway runs. Makes no handshakes, and may exceed the
 * number of destinations that a token may register.
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
