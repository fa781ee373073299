import { faultOfHeaders, faultOfUrl, headersIn } from '../../forwarding/destinations/destination-input';
import { fact, type Fact } from '../../wording/facts';
import { type SpokenNotice } from '../notice';
import { headlineOf, plainText, urgencyOf } from '../words';
import { post, shownAddress, type ChannelKind, type ChannelSettings } from './channel-kind';

const TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain; charset=utf-8',
};

/** The values for a template, by the placeholder in double braces. */
const values = (notice: SpokenNotice): Record<string, string> => ({
  headline: headlineOf(notice),
  title: notice.title,
  text: plainText(notice),
  urgency: urgencyOf(notice),
  what: notice.what,
  condition: notice.condition,
  severity: notice.severity,
  since: notice.since,
  ended: notice.ended ?? '',
  waiting: notice.waiting === null ? '' : String(notice.waiting),
  count: String(notice.count),
  action: notice.action,
  url: notice.url ?? '',
  id: notice.id,
});

/** Escapes a value for its place in the template. */
const WRITERS: Record<string, (value: string) => string> = {
  json: (value) => JSON.stringify(value).slice(1, -1),
  form: encodeURIComponent,
  text: (value) => value,
};

function filled(template: string, notice: SpokenNotice, write: (value: string) => string): string {
  const all = values(notice);
  return template.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) =>
    Object.hasOwn(all, name) ? write(all[name] ?? '') : whole,
  );
}

/** Sample values, to check that a filled template is valid. */
const SAMPLE: SpokenNotice = {
  language: 'en',
  fact: null,
  ...{
    id: 'alrt_1',
    what: 'test',
    condition: 'test',
    severity: 'info',
    title: 'A "test"',
    text: '',
    action: '',
  },
  ...{
    url: null,
    since: '2026-03-10T12:00:00.000Z',
    ended: null,
    waiting: null,
    count: 1,
    incidents: [],
    gateway: '',
  },
};

/** Any other service: a POST with a body created from a template. */
export const anyUrl: ChannelKind = {
  label: 'Any other address',
  hint: 'For services that are not in this list. The URL and the body can contain {{headline}}, {{text}}, {{title}}, {{severity}}, {{since}}, {{url}}, {{id}} and others: docs/alerts.md has them all.',
  fields: [
    {
      name: 'url',
      label: 'Address',
      type: 'url',
      isSecret: true,
      isServer: true,
      placeholder: 'https://example.com/notify',
    },
    {
      name: 'type',
      label: 'The body is',
      choices: [
        { value: 'json', label: 'JSON' },
        { value: 'form', label: 'a form' },
        { value: 'text', label: 'text' },
      ],
      default: 'json',
    },
    { name: 'body', label: 'Body', type: 'long', default: '{"text": "{{headline}}\\n{{text}}"}' },
    {
      name: 'headers',
      label: 'Headers',
      type: 'long',
      isSecret: true,
      isOptional: true,
      hint: 'One "Name: value" a line.',
    },
  ],
  check: (settings, rules) => ({
    url: faultOfUrl(rules, filled(settings.url ?? '', SAMPLE, encodeURIComponent)),
    body: bodyFault(settings),
    headers: faultOfHeaders(headersIn(settings.headers ?? '')),
  }),
  async send(deps, settings, notice) {
    const { url = '', body = '', type = 'json' } = settings;
    await post(deps, {
      url: filled(url, notice, encodeURIComponent),
      headers: {
        'content-type': TYPES[type as keyof typeof TYPES],
        ...lowerCased(headersIn(settings.headers ?? '')),
      },
      body: filled(body, notice, WRITERS[type] ?? WRITERS.text ?? String),
    });
  },
  shown: ({ url }) => shownAddress(url),
};

function bodyFault({ type, body = '' }: ChannelSettings): Fact | null {
  if (type !== 'json') return null;
  try {
    JSON.parse(filled(body, SAMPLE, WRITERS.json ?? String));
    return null;
  } catch (error) {
    return fact('json.invalid', { why: (error as Error).message });
  }
}

/** Lowercased, because a header set twice in different case would be sent twice. */
const lowerCased = (headers: Record<string, string> | null): Record<string, string> =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
