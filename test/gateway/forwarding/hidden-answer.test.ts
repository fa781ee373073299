import { startPeer, until } from '../../support/http-peer';
import { rows } from '../../support/rows';
import { call, CONTACT, sceneOf } from '../../support/scene';

const scene = sceneOf();

test('what a receiver repeats of its address and its headers is not kept with its answer', async () => {
  const receiver = await startPeer(({ url, headers }) => ({
    status: 404,
    body: JSON.stringify({ message: `Cannot POST ${url}`, path: decodeURIComponent(url), headers }),
  }));
  const line = await scene.line();
  const logIn = Buffer.from('receiver:its-password').toString('base64');
  const added = await call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/destinations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${line.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      url: `${receiver.url}/webhook/orders%2Fof-ana?key=s3cr3t"key`,
      headers: { Authorization: `Basic ${logIn}`, 'X-Key': 'of-the-receiver' },
    }),
  });
  expect(added.status).toBe(201);
  await line.wrote(CONTACT, 0);
  const answers = () => rows(scene.databaseUrl, 'select answer from attempts');
  await until(async () => (await answers()).length > 0);
  const [{ answer } = {}] = await answers();
  expect(answer).toContain('Cannot POST …');
  expect(answer).not.toMatch(/of-ana|s3cr3t|its-password|of-the-receiver/);
  expect(answer).not.toContain(logIn);
  await receiver.close();
});
