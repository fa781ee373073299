import { DEMO_LINE, type SandboxLine } from '../../gateway/sandbox/platform/account';
import { startSandbox } from '../../gateway/sandbox/server';
import { call, startScene, type Json, type Scene, type TestLine } from './scene';
import { APP_SECRET, VERIFY_TOKEN } from './test-gateway';

/** A gateway on any database whose platform is a sandbox of its own. The scene's clock is that of both. */
export interface SandboxScene extends Omit<Scene, 'line'> {
  sandboxUrl: string;
  /** Adds a line to the gateway and the sandbox. @param wabaId by default that of the first line */
  line(more?: Partial<Pick<SandboxLine, 'wabaId' | 'accessToken'>>): Promise<TestLine & SandboxLine>;
  /** Calls a control route. @param path under /sandbox/ */
  play(path: string, body?: object): Promise<Json>;
}

export async function startSandboxScene(
  databaseUrl: string,
  env: Record<string, string> = {},
): Promise<SandboxScene> {
  const lines: SandboxLine[] = [];
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  let now = () => Date.now();
  const sandbox = await startSandbox({
    ...{ host: '127.0.0.1', port: 0, log: silent, now: () => new Date(now()), lines: () => lines },
    ...{ statusDelays: { sent: 1, delivered: 2, read: 3 }, callbackWaits: [5, 10] },
  });
  const scene = await startScene(databaseUrl, { GATEWAY_UPSTREAM_URL: sandbox.url, ...env });
  now = () => scene.clock.now;
  await sandbox.subscribe({
    url: `${scene.gateway.url}/webhooks/platform`,
    ...{ appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN },
  });
  return {
    ...scene,
    sandboxUrl: sandbox.url,
    async line({ wabaId = DEMO_LINE.wabaId, accessToken = 'EAAsandbox' } = {}) {
      const number = String(lines.length + 1).padStart(2, '0');
      const simulated = {
        phoneNumberId: `1093514782036${number}`,
        displayPhoneNumber: `+1 202-555-01${number}`,
        verifiedName: 'Demo Shop',
        ...{ wabaId, accessToken },
      };
      lines.push(simulated);
      const line = await scene.line({
        phoneNumberId: simulated.phoneNumberId,
        phoneNumber: `120255501${number}`,
        ...{ wabaId, accessToken },
      });
      return { ...simulated, ...line };
    },
    async play(path, body) {
      const reply = await call(`${sandbox.url}/sandbox/${path}`, {
        method: body ? 'POST' : 'GET',
        ...(body && { body: JSON.stringify(body) }),
      });
      expect([reply.status, reply.text]).toEqual([200, reply.text]);
      return reply.body;
    },
    async stop() {
      await scene.stop();
      await sandbox.close();
    },
  };
}
