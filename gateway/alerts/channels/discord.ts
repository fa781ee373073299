import { faultOfUrl } from '../../forwarding/destinations/destination-input';
import { headlineOf, linesOf } from '../words';
import { cut, post, shownAddress, type ChannelKind } from './channel-kind';

/** Red, orange, blue, and green for ended incidents. */
const COLOURS = { critical: 0xc62828, warning: 0xef6c00, info: 0x1565c0, over: 0x2e7d32 };

/** Limits of an embed: discord.com/developers/docs/resources/message#embed-object-embed-limits. */
const TITLE = 256;
const DESCRIPTION = 4_096;

/** discord.com/developers/docs/resources/webhook#execute-webhook. It responds with 204. */
export const discord: ChannelKind = {
  label: 'Discord',
  hint: 'In Discord: the settings of the channel, Integrations, Webhooks, Copy Webhook URL.',
  fields: [
    {
      name: 'url',
      label: 'Webhook URL',
      type: 'url',
      isSecret: true,
      placeholder: 'https://discord.com/api/webhooks/…',
    },
  ],
  check: ({ url = '' }, rules) => ({ url: faultOfUrl(rules, url) }),
  async send(deps, { url = '' }, notice) {
    await post(deps, {
      url,
      body: JSON.stringify({
        // Text from a receiver or the name of a line must not cause mentions.
        allowed_mentions: { parse: [] },
        embeds: [
          {
            title: cut(headlineOf(notice), TITLE),
            description: cut(linesOf(notice).map(unmarked).join('\n'), DESCRIPTION),
            color: COLOURS[notice.what === 'recovered' ? 'over' : notice.severity],
            timestamp: notice.ended ?? notice.since,
            ...(notice.url !== null && { url: notice.url }),
          },
        ],
      }),
    });
  },
  shown: ({ url }) => shownAddress(url),
};

/** Escapes Discord's formatting characters. */
const unmarked = (text: string): string => text.replace(/[\\*_~`|<>[\]()]/g, '\\$&');
