import { CONTACT, imageTo, textTo, upstreamError } from '../../support/scene';
import { textFrom } from '../../support/test-gateway';
import { happened, HOUR, messageStatus, onEachDatabase, passes, refuses, template } from './support';

const OTHER = '16505559999';

onEachDatabase('4. Send: 24-hour window', (world) => {
  const outside = async (body: object, sentBefore = 0) =>
    refuses(world, await world.line.send(body), 400, 'outside_24h_window', 131047, sentBefore);

  test('Key (line, contact): another contact’s message opens nothing', async () => {
    await world.line.wrote(OTHER, 0);
    await outside(textTo(CONTACT));
    await passes(world, textTo(OTHER));
  });

  test('Key (line, contact): a message to another line opens nothing', async () => {
    const other = await world.scene.line();
    await other.wrote(CONTACT, 0);
    await outside(textTo(CONTACT));
    expect((await other.send(textTo(CONTACT))).status).toBe(200);
  });

  test('value: the latest inbound event’s own timestamp', async () => {
    await world.line.wrote(CONTACT, 25);
    await outside(textTo(CONTACT));
    await world.line.wrote(CONTACT, 1);
    await world.line.wrote(CONTACT, 30);
    world.scene.clock.now += 23 * HOUR - 1;
    await passes(world, textTo(CONTACT));
    world.scene.clock.now += 1;
    await outside(textTo(CONTACT), 1);
  });

  test('A status of a message is no inbound event', async () => {
    await happened(world, messageStatus('wamid.w', 'read', world.scene.clock.now / 1000));
    await outside(textTo(CONTACT));
  });

  test('Free-form text outside it → 400 outside_24h_window, nothing forwarded', async () => {
    await world.line.wrote(CONTACT, 31);
    expect(await outside(textTo(CONTACT))).toBe(
      `${CONTACT} last wrote to this line 31 hours ago. Send an approved template instead.`,
    );
  });

  test('a contact that never wrote counts as outside.', async () => {
    expect(await outside(textTo(CONTACT))).toBe(
      `${CONTACT} has never written to this line. Send an approved template instead.`,
    );
  });

  test('Inside it, however the number is written', async () => {
    await world.line.wrote(CONTACT, 23);
    await passes(world, textTo(`+1 (650) 555-1234`));
  });

  test('An upstream user id is a contact like any other', async () => {
    await outside(textTo('US.13491208655302741918'));
    const written = {
      contacts: [{ profile: { name: 'Ana' }, user_id: 'US.13491208655302741918' }],
      messages: [
        {
          from_user_id: 'US.13491208655302741918',
          id: 'wamid.w.user',
          timestamp: String(world.scene.clock.now / 1000),
          type: 'text',
          text: { body: 'Hello' },
        },
      ],
    };
    await happened(world, written);
    await passes(world, textTo('US.13491208655302741918'));
  });

  test.each(['reaction', 'button', 'interactive', 'unsupported', 'something_new'])(
    'the latest inbound event: of whatever kind. %s',
    async (type) => {
      const { messages } = textFrom(CONTACT, 'x', `wamid.w.${type}`, world.scene.clock.now / 1000) as {
        messages: object[];
      };
      await happened(world, { messages: [{ ...messages[0], type, [type]: {} }] });
      await passes(world, textTo(CONTACT));
    },
  );

  describe('Per line: text (default), all (every type but template), upstream (forward always)', () => {
    const text = textTo(CONTACT);
    const image = imageTo(CONTACT);
    const approved = template('greeting');

    test.each<[string, 'text' | 'all' | 'upstream', object[], object[]]>([
      ['text (default)', 'text', [text], [image, approved]],
      ['all (every type but template)', 'all', [text, image], [approved]],
      ['upstream (forward always)', 'upstream', [], [text, image, approved]],
    ])('%s', async (_row, mode, refused, forwarded) => {
      await world.line.edit({ window_mode: mode });
      for (const body of refused) await outside(body);
      for (const body of forwarded) await passes(world, body);
    });
  });

  test('Whatever is forwarded, an upstream 131047, in the answer, is translated to the same code.', async () => {
    world.scene.upstream.answers.messages = () =>
      upstreamError(400, 131047, { message: '(#131047) Re-engagement message' });
    const reply = await world.line.send(imageTo(CONTACT));
    refuses(world, reply, 400, 'outside_24h_window', 131047, 1);
  });
});
