import { faultOfUrl } from '../../forwarding/destinations/destination-input';
import { noticeWords } from '../../wording/say';
import { headlineOf, linesOf } from '../words';
import { cut, post, shownAddress, type ChannelKind } from './channel-kind';

const COLOURS = { critical: 'Attention', warning: 'Warning', info: 'Accent', over: 'Good' };

/** In a text run, nothing is parsed as markup or a link. */
const run = (text: string, more: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text: cut(text, 2_000), ...more }],
});

/**
 * An Adaptive Card to a workflow ("When a Teams webhook request is received"):
 * learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using. It responds with 202.
 */
export const teams: ChannelKind = {
  label: 'Microsoft Teams',
  hint: 'In Teams: the channel, Workflows, "Send webhook alerts to a channel"; copy the address of the webhook.',
  fields: [
    {
      name: 'url',
      label: 'Webhook URL',
      type: 'url',
      isSecret: true,
      placeholder: 'https://….logic.azure.com/workflows/…',
    },
  ],
  check: ({ url = '' }, rules) => ({ url: faultOfUrl(rules, url) }),
  async send(deps, { url = '' }, notice) {
    const color = COLOURS[notice.what === 'recovered' ? 'over' : notice.severity];
    await post(deps, {
      url,
      body: JSON.stringify({
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            contentUrl: null,
            content: {
              $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
              type: 'AdaptiveCard',
              version: '1.4',
              body: [
                run(headlineOf(notice), { size: 'Large', weight: 'Bolder', color }),
                ...linesOf(notice).map((line) => run(line)),
              ],
              ...(notice.url !== null && {
                actions: [
                  { type: 'Action.OpenUrl', title: noticeWords(notice.language).openPanel, url: notice.url },
                ],
              }),
            },
          },
        ],
      }),
    });
  },
  shown: ({ url }) => shownAddress(url),
};
