import { faultOfUrl } from '../../forwarding/destinations/destination-input';
import { faultOfCredential } from '../../primitives/credential';
import { type Severity } from '../../store/schema';
import { headlineOf, linesOf } from '../words';
import { fact } from '../../wording/facts';
import { cut, post, type ChannelKind } from './channel-kind';

const SERVER = 'https://ntfy.sh';
/** 5 is the most urgent, 3 the default: docs.ntfy.sh/publish/#message-priority. */
const PRIORITIES: Record<Severity, number> = { critical: 5, warning: 4, info: 3 };
const TAGS: Record<Severity, string> = {
  critical: 'rotating_light',
  warning: 'warning',
  info: 'information_source',
};
/** A longer message becomes a file: docs.ntfy.sh/publish/#limitations. */
const LONGEST = 3_500;

/** Published as JSON to the server's root: docs.ntfy.sh/publish/#publish-as-json. */
export const ntfy: ChannelKind = {
  label: 'ntfy',
  hint: 'Everyone who knows the topic can read it: choose one that is hard to guess, or protect it with an access token.',
  fields: [
    { name: 'server', label: 'Server', type: 'url', default: SERVER, isServer: true },
    { name: 'topic', label: 'Topic', placeholder: 'gateway-7f3k2q' },
    { name: 'token', label: 'Access token', isSecret: true, isOptional: true, placeholder: 'tk_…' },
  ],
  check: ({ server = '', topic = '', token = '' }, rules) => ({
    server: faultOfUrl(rules, server),
    topic: /^[-\w]{1,64}$/.test(topic) ? null : fact('topic.invalid', {}),
    token: faultOfCredential(token, 'access_token'),
  }),
  async send(deps, { server = SERVER, topic = '', token = '' }, notice) {
    const isOver = notice.what === 'recovered';
    await post(deps, {
      url: server,
      headers: token ? { authorization: `Bearer ${token}` } : {},
      body: JSON.stringify({
        topic,
        title: cut(headlineOf(notice), 250),
        message: cut(linesOf(notice).join('\n') || notice.title, LONGEST),
        priority: isOver ? 3 : PRIORITIES[notice.severity],
        tags: [isOver ? 'white_check_mark' : TAGS[notice.severity]],
        ...(notice.url !== null && { click: notice.url }),
      }),
    });
  },
  shown: ({ server = '', topic = '' }) => `${URL.parse(server)?.host ?? ''}/${topic}`,
};
