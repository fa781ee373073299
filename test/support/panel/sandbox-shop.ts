import { DATABASES } from '../databases';
import { until } from '../http-peer';
import { call, startScene, type Json, type Scene, type TestLine } from '../scene';
import { addPanelUser } from './visitor';

/** The sandbox's first contact. */
export const CONTACT = '12025550147';

/** An image of one pixel. */
export const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A gateway whose platform is the sandbox, with one line, an owner `ana` and a viewer `vera`. */
export interface SandboxShop extends Scene {
  shop: TestLine;
  /** Calls a control route of the sandbox, like curl. */
  play(path: string, body?: object, method?: string): Promise<Json>;
  /** Lets the contact write for the first time; resolves when the gateway has received it. */
  isWrittenTo(): Promise<void>;
}

export async function startSandboxShop(env: Record<string, string> = {}): Promise<SandboxShop> {
  // The sandbox keeps its data file next to the database.
  const sqlite = await DATABASES.find(({ name }) => name === 'SQLite')?.createUrl();
  const scene = await startScene(sqlite ?? '', { GATEWAY_UPSTREAM_URL: 'sandbox', ...env });
  await addPanelUser(scene, 'ana');
  await addPanelUser(scene, 'vera', 'viewer');
  const shop = await scene.line({ name: 'My shop' });
  async function play(path: string, body?: object, method = body ? 'POST' : 'GET'): Promise<Json> {
    const reply = await call(`${scene.gateway.sandboxUrl}/sandbox${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    expect([reply.status, reply.text]).toEqual([200, reply.text]);
    return reply.body;
  }
  return {
    ...scene,
    shop,
    play,
    async isWrittenTo() {
      await play(`/contacts/${CONTACT}/messages`, { text: 'Hello', line: shop.phoneNumberId });
      await until(async () => (await scene.gateway.windows.lastInboundAt(shop.id, CONTACT)) !== null);
    },
  };
}
