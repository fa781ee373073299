import { imageTo, textTo } from '../../support/scene';
import { happened, HOUR, onEachDatabase, passes, refuses, type World } from './support';

const NUMBER = '16505551234';
const USER = 'US.13491208655302741918';
let written = 0;

/** A contact writes, under one of its identities or under both. */
const wrote = (world: World, sender: object, contact: object, hoursAgo = 0) =>
  happened(world, {
    contacts: [{ profile: { name: 'Ana' }, ...contact }],
    messages: [
      {
        ...sender,
        id: `wamid.identity.${++written}`,
        timestamp: String(Math.floor((world.scene.clock.now - hoursAgo * HOUR) / 1000)),
        type: 'text',
        text: { body: 'Hello' },
      },
    ],
  });

onEachDatabase(
  '4. Send: 24-hour window: identities are opaque strings, and one contact may have several',
  (world) => {
    const outside = async (to: string, sentBefore = 0) =>
      refuses(world, await world.line.send(textTo(to)), 400, 'outside_24h_window', 131047, sentBefore);

    test('who writes with a number and a user id is open under both', async () => {
      await wrote(world, { from: NUMBER, from_user_id: USER }, { wa_id: NUMBER, user_id: USER });
      await passes(world, textTo(NUMBER));
      await passes(world, textTo(USER));
      await passes(world, { ...textTo(USER), to: undefined, recipient: USER });
    });

    test('who wrote with both and then with the user id alone is open under both', async () => {
      await wrote(world, { from: NUMBER, from_user_id: USER }, { wa_id: NUMBER, user_id: USER }, 30);
      await outside(NUMBER);
      await wrote(world, { from_user_id: USER }, { user_id: USER });
      await passes(world, textTo(NUMBER));
    });

    test('a number that upstream knows under another wa_id is open when that one writes', async () => {
      world.scene.upstream.answers.messages = () => ({
        body: {
          contacts: [{ input: '5511987654321', wa_id: '551187654321' }],
          messages: [{ id: 'wamid.br' }],
        },
      });
      await passes(world, imageTo('5511987654321'));
      await outside('5511987654321', 1);
      await wrote(world, { from: '551187654321' }, { wa_id: '551187654321' });
      await passes(world, textTo('5511987654321'));
    });

    test('another contact stays closed', async () => {
      await wrote(world, { from: NUMBER, from_user_id: USER }, { wa_id: NUMBER, user_id: USER });
      await outside('US.9');
      await outside('16505559999');
    });

    test('on another line stays closed', async () => {
      await wrote(world, { from: NUMBER, from_user_id: USER }, { wa_id: NUMBER, user_id: USER });
      const other = await world.scene.line();
      expect((await other.send(textTo(USER))).body.error_code).toBe('outside_24h_window');
      expect(other.sent()).toEqual([]);
    });
  },
);
