import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_LINE } from '../../gateway/sandbox/platform/account';

/** The line that the quick start makes, and a token for it. */
export interface DemoLine {
  tid: string;
  token: string;
}

/** The demo line of the gateway that keeps its data in `folder`. Throws when no quick start has run there. */
export function demoLineIn(folder: string): DemoLine {
  const file = join(folder, 'demo-line-token');
  if (!existsSync(file)) {
    throw new Error(
      `${file} is missing: the gateway that runs was not started from this checkout by npm start. ` +
        'Stop it, or let another port be used: GATEWAY_PORT=8090 npm run n8n',
    );
  }
  return { tid: DEMO_LINE.phoneNumberId, token: readFileSync(file, 'utf8').trim() };
}
