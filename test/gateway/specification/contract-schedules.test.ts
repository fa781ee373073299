import { until } from '../../support/http-peer';
import { call, phoneNumberNode } from '../../support/scene';
import { settings, startTestGateway } from '../../support/test-gateway';
import {
  askedForStatus,
  askedForTemplates,
  bearer,
  HOUR,
  onEachDatabase,
  synced,
  upstreamTemplate,
} from './support';

onEachDatabase(
  'Polled on a schedule: what was polled a day ago is asked for again, and nobody asks the gateway',
  (world) => {
    /** A gateway on the same database, a day later. */
    const aDayLater = () =>
      startTestGateway(
        settings(world.scene.databaseUrl, { GATEWAY_UPSTREAM_URL: world.scene.upstream.url }),
        () => world.scene.clock.now + 24 * HOUR,
      );

    test('Quality is no longer pushed by upstream: poll it on a schedule.', async () => {
      await world.line.rated('GREEN');
      world.scene.upstream.answers.phoneNumber = () => phoneNumberNode({ quality_rating: 'RED' });
      const gateway = await aDayLater();
      try {
        await gateway.pollDue();
        await until(() => askedForStatus(world).length === 2);
        await until(async () => {
          const { body } = await call(`${gateway.url}/v22.0/${world.line.phoneNumberId}/status`, {
            headers: bearer(world.line.token),
          });
          return body.platform.quality_rating === 'LOW';
        });
      } finally {
        await gateway.stop();
      }
    });

    test('Templates: also updated … on a schedule', async () => {
      await synced(world, upstreamTemplate('old'));
      world.scene.upstream.answers.templates = () => ({ body: { data: [upstreamTemplate('new')] } });
      const gateway = await aDayLater();
      try {
        await gateway.pollDue();
        await until(() => askedForTemplates(world).length === 2);
        await until(async () => {
          const { body } = await call(
            `${gateway.url}/v22.0/${world.line.phoneNumberId}/templates?status=approved`,
            { headers: bearer(world.line.token) },
          );
          return body.data[0]?.name === 'new';
        });
      } finally {
        await gateway.stop();
      }
    });
  },
);
