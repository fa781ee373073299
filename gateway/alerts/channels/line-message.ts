import { placeholdersOf, readComponents } from '../../cloud-api/template';
import { at, parsed } from '../../cloud-api/json/json-value';
import { isRecipient } from '../../cloud-api/validate/message-request';
import { refusalOfFailure } from '../../cloud-api/failures';
import { Refusal } from '../../errors';
import { ownSend, send as sendMessage } from '../../sending/send';
import { SECOND } from '../../time';
import { fact } from '../../wording/facts';
import { costOf, headlineOf, timesOf } from '../words';
import { type SpokenNotice } from '../notice';
import { ChannelFailure, cut, type ChannelKind, type ChannelDeps } from './channel-kind';

/**
 * Parameters cannot contain line breaks, tabs or four spaces in a row. The body with all parameters is limited to
 * 1,024 characters.
 */
const LONGEST = 300;
const parameter = (text: string): string => cut(text.replace(/\s+/g, ' ').trim(), LONGEST) || '–';

/** The values of a template's variables, in order. A single variable gets the whole text. */
function textsOf(notice: SpokenNotice, count: number): string[] {
  const more = [notice.text, timesOf(notice), costOf(notice)].filter(Boolean).join(' ');
  if (count === 1) return [`${headlineOf(notice)}. ${more}`];
  return [headlineOf(notice), more, notice.action, notice.url ?? ''].slice(0, count);
}

async function bodyOf(
  { store }: ChannelDeps,
  lineId: number,
  name: string,
  language: string,
): Promise<string> {
  const template = await store.templates.find(lineId, name, language);
  if (!template) throw new ChannelFailure(fact('channel.no_template', { template: `${name} (${language})` }));
  const components = readComponents(JSON.parse(template.components));
  const text = components.find(({ type }) => type.toUpperCase() === 'BODY')?.text;
  return typeof text === 'string' ? text : '';
}

function failureOf({ error, retryAfter }: Refusal): ChannelFailure {
  const wait = retryAfter === undefined ? null : retryAfter * SECOND;
  if ('message' in error) return new ChannelFailure(error.error_data?.details ?? error.message, wait);
  return new ChannelFailure(
    fact('channel.whatsapp', { why: String(at(parsed(error.verbatim), 'message')) }),
    wait,
  );
}

/** A template message sent by a line of this gateway, with the alert's text in its variables. */
export const lineMessage: ChannelKind = {
  label: 'WhatsApp, by a line of this gateway',
  hint: 'With an approved template whose body has one to four variables: the headline, more about it, what to do, the link. Where the line itself is disconnected it does not arrive: have another channel beside it.',
  fields: [
    { name: 'line', label: 'Line', hint: 'Its phone number ID.' },
    { name: 'to', label: 'To', type: 'tel', placeholder: '+55 11 98765-4321', hint: 'With country code.' },
    { name: 'template', label: 'Template', placeholder: 'gateway_alert' },
    { name: 'language', label: 'Language', default: 'en' },
  ],
  check: ({ to = '' }) => ({
    to: isRecipient(to) ? null : fact('phone.invalid', {}),
  }),
  async send(deps, { line: tid = '', to = '', template = '', language = '' }, notice) {
    const line = deps.lines.byTid(tid);
    if (!line) throw new ChannelFailure(fact('channel.no_line', {}));
    const names = placeholdersOf(await bodyOf(deps, line.id, template, language));
    const texts = textsOf(notice, names.length);
    const parameters = names.map((name, index) => ({
      type: 'text',
      text: parameter(texts[index] ?? ''),
      ...(/^\d+$/.test(name) ? {} : { parameter_name: name }),
    }));
    const request = {
      messaging_product: 'whatsapp',
      to,
      type: 'template',
      template: {
        name: template,
        language: { code: language },
        ...(names.length && { components: [{ type: 'body', parameters }] }),
      },
    };
    // Without an Idempotency-Key: an alert with an unknown outcome should rather be sent twice than lost.
    await sendMessage(deps, ownSend(line, 'alert', request)).catch((error: unknown) => {
      const refused = error instanceof Refusal ? error : refusalOfFailure(error);
      throw refused ? failureOf(refused) : error;
    });
  },
  shown: ({ to = '' }) => to,
};
