import { type VNode } from 'preact';
import { DEFAULT_EVENT_KINDS, EVENT_KINDS, type Destination } from '../../forwarding/destination';
import { DESTINATION_MODES } from '../../store/schema';
import { FormState } from '../form-state';
import { CheckField, ChoiceField, LongField, TextField } from '../ui/form';
import { kindWords, modeWords } from '../ui/words/choice-words';
import { t } from '../languages/t';

export const emptyDestination = (): FormState => {
  const values = new FormData();
  DEFAULT_EVENT_KINDS.forEach((kind) => values.append('kinds', kind));
  values.set('mode', 'split');
  return new FormState(values);
};

export function filledDestination(destination: Destination): FormState {
  const values = new FormData();
  values.set('url', destination.url);
  values.set('mode', destination.mode);
  values.set('quiet_seconds', String(destination.quietSeconds ?? ''));
  destination.events.forEach((kind) => values.append('kinds', kind));
  return new FormState(values);
}

/** @param kept names of the stored headers */
export const DestinationFields = ({ kept }: { kept: string[] }): VNode => (
  <>
    <TextField
      name="url"
      label="URL"
      type="url"
      inputmode="url"
      placeholder="https://crm.example.com/webhook"
      maxLength={2048}
    />
    <ChoiceField
      name="kinds"
      label={t('What it receives')}
      many
      choices={EVENT_KINDS.map((value) => ({ value, label: kindWords()[value].label }))}
    />
    <ChoiceField
      name="mode"
      label={t('How it is sent')}
      choices={DESTINATION_MODES.map((value) => ({ value, ...modeWords()[value] }))}
    />
    <TextField
      name="quiet_seconds"
      label={t('Wait until the contact pauses, in seconds')}
      optional
      type="number"
      inputmode="numeric"
      placeholder="10"
      hint={t(
        'Messages in quick succession arrive as one event. A button tap ends the wait. Empty: one event per message.',
      )}
    />
    <LongField
      name="headers"
      label={t('Custom headers')}
      optional
      rows={3}
      hint={
        <>
          {t.rich('One on each line, as <code>Authorization: Bearer …</code>.')}{' '}
          {kept.length > 0 &&
            t('Stored, never shown: {names}. Leave empty to keep them; new text replaces all of them.', {
              names: kept.join(', '),
            })}
        </>
      }
    />
    {kept.length > 0 && <CheckField name="no_headers" label={t('Remove the custom headers')} />}
  </>
);

/** Form field names that differ from the names in issues. */
export const FIELDS = { events: 'kinds' };

/** The submitted values. An empty headers field keeps the stored headers. */
export const typedDestination = (state: FormState) => ({
  url: state.text('url'),
  events: state.all('kinds'),
  mode: state.text('mode'),
  quietSeconds: state.text('quiet_seconds'),
  headers: state.text('headers') || (state.has('no_headers') ? '' : undefined),
});
