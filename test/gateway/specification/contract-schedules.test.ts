import { until } from '../../support/http-peer';
import { phoneNumberNode } from '../../support/scene';
import { askedForStatus, askedForTemplates, HOUR, onEachDatabase, synced, upstreamTemplate } from './support';

onEachDatabase(
  'Polled on a schedule: what was polled a day ago is asked for again, and nobody asks the gateway',
  (world) => {
    const aDayLater = () => {
      world.scene.clock.now += 24 * HOUR;
      return world.scene.gateway.pollDue();
    };

    test('Quality is no longer pushed by upstream: poll it on a schedule.', async () => {
      await world.line.rated('GREEN');
      world.scene.upstream.answers.phoneNumber = () => phoneNumberNode({ quality_rating: 'RED' });
      await aDayLater();
      await until(() => askedForStatus(world).length === 2);
      await until(async () => (await world.line.get('/status')).body.platform.quality_rating === 'LOW');
    });

    test('Templates: also updated … on a schedule', async () => {
      await synced(world, upstreamTemplate('old'));
      world.scene.upstream.answers.templates = () => ({ body: { data: [upstreamTemplate('new')] } });
      await aDayLater();
      await until(() => askedForTemplates(world).length === 2);
      await until(async () => {
        const { body } = await world.line.get('/templates?status=approved');
        return body.data[0]?.name === 'new';
      });
    });
  },
);
