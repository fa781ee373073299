import { faultOfUrl } from '../../forwarding/destinations/destination-input';
import { fact } from '../../wording/facts';
import { noticeWords } from '../../wording/say';
import { headlineOf, linesOf } from '../words';
import { ChannelFailure, cut, post, shownAddress, type ChannelKind } from './channel-kind';

/** Escapes Slack's three control characters (docs.slack.dev/messaging/formatting-message-text, "Escaping text"). */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Limits of header and section blocks (docs.slack.dev/reference/block-kit/blocks). */
const HEADER = 150;
const SECTION = 3_000;

/** An incoming webhook: docs.slack.dev/messaging/sending-messages-using-incoming-webhooks. It responds with `ok`. */
export const slack: ChannelKind = {
  label: 'Slack',
  hint: 'In Slack: your app, Incoming Webhooks, Add New Webhook to Workspace.',
  fields: [
    {
      name: 'url',
      label: 'Webhook URL',
      type: 'url',
      isSecret: true,
      placeholder: 'https://hooks.slack.com/services/…',
    },
  ],
  check: ({ url = '' }, rules) => ({ url: faultOfUrl(rules, url) }),
  async send(deps, { url = '' }, notice) {
    const headline = headlineOf(notice);
    const link = notice.url === null ? [] : [`<${notice.url}|${noticeWords(notice.language).openPanel}>`];
    const text = [...linesOf(notice).map(escaped), ...link].join('\n');
    const answer = await post(deps, {
      url,
      body: JSON.stringify({
        // Shown in notifications, which do not display blocks.
        text: escaped(cut(headline, SECTION)),
        blocks: [
          { type: 'header', text: { type: 'plain_text', text: cut(headline, HEADER), emoji: false } },
          { type: 'section', text: { type: 'mrkdwn', text: cut(text, SECTION) } },
        ],
      }),
    });
    if (answer.trim() !== 'ok')
      throw new ChannelFailure(fact('channel.answered', { status: null, text: cut(answer.trim(), 200) }));
  },
  shown: ({ url }) => shownAddress(url),
};
