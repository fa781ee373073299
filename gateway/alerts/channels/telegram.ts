import { faultOfUrl } from '../../forwarding/destinations/destination-input';
import { headlineOf, linesOf } from '../words';
import { fact } from '../../wording/facts';
import { ChannelFailure, cut, post, type ChannelKind } from './channel-kind';

const SERVER = 'https://api.telegram.org';
/** Counted after entities are parsed: core.telegram.org/bots/api#sendmessage. */
const LONGEST = 4_096;

/** `sendMessage` of a bot: core.telegram.org/bots/api#sendmessage. It responds with `{"ok": true, "result": …}`. */
export const telegram: ChannelKind = {
  label: 'Telegram',
  hint: 'Ask @BotFather for a bot, add it to the chat, and find the id of the chat with getUpdates.',
  fields: [
    {
      name: 'token',
      label: 'Token of the bot',
      isSecret: true,
      placeholder: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
    },
    { name: 'chat', label: 'Chat ID', placeholder: '-1001234567890', hint: 'Or @name of a channel.' },
    {
      name: 'server',
      label: 'Server',
      type: 'url',
      isServer: true,
      default: SERVER,
      hint: 'Another one where you run a Bot API server of your own.',
    },
  ],
  check: ({ token = '', server = '' }, rules) => ({
    token: /^\d+:[\w-]{20,}$/.test(token) ? null : fact('bot_token.invalid', {}),
    server: faultOfUrl(rules, server),
  }),
  async send(deps, { token = '', chat = '', server = SERVER }, notice) {
    // Plain text, which needs no escaping. Only the headline is bold, by its length in UTF-16 units.
    const headline = cut(headlineOf(notice), 400);
    const text = cut([headline, ...linesOf(notice), notice.url ?? ''].filter(Boolean).join('\n'), LONGEST);
    const answer = await post(deps, {
      url: `${server.replace(/\/+$/, '')}/bot${token}/sendMessage`,
      body: JSON.stringify({
        chat_id: chat,
        text,
        entities: [{ type: 'bold', offset: 0, length: headline.length }],
        link_preview_options: { is_disabled: true },
      }),
    });
    if ((JSON.parse(answer) as { ok?: boolean }).ok !== true)
      throw new ChannelFailure(fact('channel.telegram', {}));
  },
  shown: ({ chat = '' }) => `chat ${chat}`,
};
