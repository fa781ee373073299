import { runCommand } from '../../support/gateway-process';
import { addLine, freshSettings, start } from './support';

describe('a second gateway on one SQLite file', () => {
  test('does not start, and says what to do', async () => {
    const env = freshSettings();
    const { url } = await start(env);
    const { code, stderr } = await runCommand(['start'], env);
    expect(code).toBe(2);
    expect(stderr).toContain('Another gateway is running on ');
    expect(stderr).toContain('GATEWAY_DATABASE_URL');
    expect(stderr).toContain('postgres://');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test('keeps nobody from editing what the first one uses', async () => {
    const env = freshSettings();
    await start(env);
    const { line } = await addLine(env);
    expect(line.id).toBe(1);
  });

  test.each(['SIGKILL', 'SIGTERM'] as const)('starts once the first was ended by %s', async (signal) => {
    const env = freshSettings();
    const first = await start(env);
    await first.end(signal);
    const second = await start(env);
    expect((await fetch(`${second.url}/healthz`)).status).toBe(200);
  });
});
