import { CONTACT, imageTo, withoutAction } from '../../support/scene';
import { onEachDatabase, refuses } from './support';

onEachDatabase('5. Errors: An upstream error keeps its error object byte for byte', (world) => {
  test.each(['{"later":1,"error":%}', '{"error":%,"later":1}', '{"error":% , "later":{"error":{"code":1}}}'])(
    'where more than the error stands in the answer: %j',
    async (around) => {
      const error =
        '{"message":"Caf\\u00e9 \\/ x","type":"OAuthException", "code":131026,"n":1.50,"big":12345678901234567890}';
      world.scene.upstream.answers.messages = () => ({ status: 400, body: around.replace('%', error) });
      const reply = await world.line.send(imageTo(CONTACT));
      refuses(world, reply, 400, 'upstream_error', 131026, 1);
      expect(withoutAction(reply.text)).toContain(`"error":${error}`);
    },
  );
});
