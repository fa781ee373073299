import { type VNode } from 'preact';
import { t } from '../languages/t';
import { Attach } from '../chat/attach';
import { SendButton } from '../chat/send-button';
import { Form } from '../ui/form';
import { type PhoneConversation } from '../send/sandbox-client';

/** Samples of other kinds of messages that a contact can send. */
export const samples = (): [string, string][] => [
  ['image', t('Picture')],
  ['voice', t('Voice message')],
  ['video', t('Video')],
  ['document', t('Document')],
  ['sticker', t('Sticker')],
  ['contacts', t('Contact card')],
  ['order', t('Order')],
  ['unsupported', t('Unsupported')],
];

interface ComposerProps {
  conversation: PhoneConversation;
  /** The contact's name; null if unknown. */
  name: string | null;
  /** The path that the forms submit to. */
  action: string;
  /** The text of a refused form. */
  typed?: string;
  /** The id of the message to reply to; null if none. */
  answered: string | null;
}

/** The contact's text field, and a menu of other messages. */
export function Composer({ conversation, name, action, typed, answered }: ComposerProps): VNode {
  const isFirst = conversation.messages.length === 0;
  const hidden = (
    <>
      {name !== null && <input type="hidden" name="name" value={name} />}
      {answered !== null && <input type="hidden" name="message" value={answered} />}
    </>
  );
  return (
    <div class="composer">
      <Attach label={t('Send a picture, a file or a location')}>
        <div class="attach-sheet">
          <Form action={action} class="attach-form">
            {hidden}
            <p class="attach-title" id="samples">
              {t('Send a sample')}
            </p>
            <div class="cluster" role="group" aria-labelledby="samples">
              {samples().map(([value, label]) => (
                <button key={value} class="button plain small" name="sample" value={value}>
                  {label}
                </button>
              ))}
            </div>
          </Form>
          <Form action={action} files class="attach-form">
            {hidden}
            <label for="field-file">{t('Picture or file')}</label>
            <input id="field-file" name="file" type="file" required />
            <label for="field-caption">
              {t('Caption')} <span class="optional">{t('(optional)')}</span>
            </label>
            <input id="field-caption" name="caption" type="text" maxLength={1024} autocomplete="off" />
            <button class="button primary">{t('Send file')}</button>
          </Form>
          <LocationForm action={action}>{hidden}</LocationForm>
        </div>
      </Attach>
      <Form action={action} class="write">
        {hidden}
        <label class="sr-only" for="field-text">
          {t('Message as this contact')}
        </label>
        <textarea
          id="field-text"
          name="text"
          rows={1}
          placeholder={t('Message')}
          maxLength={4096}
          autocomplete="off"
          data-type-here=""
          dir="auto"
          enterkeyhint="send"
        >
          {typed ?? (isFirst ? t('Hello') : '')}
        </textarea>
        <SendButton />
      </Form>
    </div>
  );
}

function LocationForm({ action, children }: { action: string; children: VNode }): VNode {
  return (
    <Form action={action} class="attach-form">
      {children}
      <div class="attach-pair">
        <div class="field">
          <label for="field-latitude">{t('Latitude')}</label>
          <input id="field-latitude" name="latitude" type="text" inputMode="decimal" value="-23.5505" />
        </div>
        <div class="field">
          <label for="field-longitude">{t('Longitude')}</label>
          <input id="field-longitude" name="longitude" type="text" inputMode="decimal" value="-46.6333" />
        </div>
      </div>
      <label for="field-place">
        {t('Name of the place')} <span class="optional">{t('(optional)')}</span>
      </label>
      <input id="field-place" name="place" type="text" maxLength={200} autocomplete="off" />
      <button class="button primary">{t('Send location')}</button>
    </Form>
  );
}
