import { isoTime, SECOND } from '../../../gateway/time';
import { addAlertWebhook } from '../alerts/support';
import { startPeer, until, type HttpPeer } from '../../support/http-peer';
import { sceneOf } from '../../support/scene';
import { command } from './support';

describe('the commands for alerts', () => {
  const scene = sceneOf();
  let receiver: HttpPeer;

  beforeAll(async () => {
    receiver = await startPeer();
    const line = await scene.line({ name: 'Lucky Shrub' });
    await line.edit({ access_token_sealed: null });
    await addAlertWebhook(scene, `${receiver.url}/alerts`);
  });
  afterAll(() => receiver.close());

  const run = (...words: string[]) => command(['alert', ...words], scene.gateway.env);
  const said = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(...words);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };

  test('mute until a time, show what is wrong and the channels, and end the mute', async () => {
    const until = isoTime(Date.now() + 3600 * SECOND);
    expect(await said('mute', '--until', until, '--line', '1')).toContain(
      'Everything about Lucky Shrub: muted until',
    );
    for (let round = 0; round < 4; round++, scene.clock.now += 10 * SECOND)
      await scene.gateway.lookForAlerts();
    expect(receiver.received).toEqual([]);
    const listed = await said('list');
    expect(listed).toMatch(/^critical\tLucky Shrub has no access token\tsince .*\tfor /);
    expect(listed).toMatch(/^muted 1\tEverything about Lucky Shrub\tuntil /m);
    expect(listed).toMatch(/^channel 1\twebhook\tOur webhook\tok$/m);
    expect(await said('mute', '--end', '1')).toBe('Notifications for this incident are on again.\n');
    await scene.gateway.lookForAlerts();
    expect(receiver.received).toHaveLength(1);
    expect(await said('mute', '--hours', '1', '--condition', 'token_unused', '--line', '1')).toContain(
      'Lucky Shrub: A token has not been used for 90 days: muted until',
    );
    expect((await run('mute')).stderr).toContain('Until when?');
    expect((await run('mute', '--until', '2020-01-01T00:00:00Z')).stderr).toContain(
      '--until: Enter either hours, or a time within',
    );
    expect((await run('mute', '--hours', '8', '--condition', 'rain')).stderr).toContain(
      'There is no condition rain',
    );
  });

  test('have a running gateway send a test', async () => {
    const tested = said('test', '1');
    await until(async () => {
      // The scene's clock stands still: the command's notice is due by the machine's.
      scene.clock.now = Date.now();
      await scene.gateway.lookForAlerts();
      return receiver.received.some(({ body }) => body.includes('alert.test'));
    });
    expect(await tested).toContain('Channel 1');
    expect((await run('test', '9')).stderr).toContain('Which channel?');
  });
});
