import { type VNode } from 'preact';
import { type ChannelField, type ChannelSettings } from '../../alerts/channels/channel-kind';
import { CHANNEL_KINDS, type ChannelKindName } from '../../alerts/channels/kinds';
import { REMIND_HOURS } from '../../alerts/use-cases/add-channel';
import { LONGEST_NAME, type ChannelInput } from '../../alerts/use-cases/channel-input';
import { type Line } from '../../lines/line';
import { type ChannelRow } from '../../store/tables/alerts';
import { knownLanguage, LANGUAGES, languageNow, WRITTEN } from '../../wording/language';
import { FormState } from '../form-state';
import { type UserContext } from '../request-context';
import { LongField, SecretField, SelectField, TextField } from '../ui/form';
import { chosenLine, LineField, MOST_CHOICES } from '../ui/line-field';
import { t } from '../languages/t';
import { useRequest } from '../ui/page-request';

const reminders = () => [
  { value: '', label: t('Never') },
  { value: '4', label: t('Every 4 hours') },
  { value: String(REMIND_HOURS), label: t('Once a day') },
  { value: '72', label: t('Every 3 days') },
];

const fieldsOf = (kind: ChannelKindName): ChannelField[] => CHANNEL_KINDS[kind].fields;

/**
 * Fills the form for a new or stored channel. Secrets are never shown. @param zone of the user who adds it
 */
export function stateOf(
  kind: ChannelKindName,
  lines: Line[],
  channel?: ChannelRow,
  settings: ChannelSettings = {},
  zone = 'UTC',
): FormState {
  const values = fieldsOf(kind).map((field) => [
    field.name,
    field.isSecret ? '' : (settings[field.name] ?? field.default ?? ''),
  ]);
  return new FormState({
    ...Object.fromEntries(values),
    channel_name: channel?.name ?? t.known(CHANNEL_KINDS[kind].label),
    ...scopeState(lines, channel),
    quiet_from: channel?.quiet_from ?? '',
    quiet_to: channel?.quiet_to ?? '',
    time_zone: channel?.time_zone ?? zone,
    remind: channel ? String(channel.remind_hours ?? '') : String(REMIND_HOURS),
    channel_language: channel?.language ?? languageNow(),
  });
}

function scopeState(lines: Line[], channel?: ChannelRow): { scope: string; scope_line?: string } {
  const { scope = 'gateway', scope_id: id = null } = channel ?? {};
  if (lines.length <= MOST_CHOICES) return { scope: [scope, id].filter(Boolean).join(':') };
  const line = scope === 'account' ? String(lines.find(({ wabaId }) => wabaId === id)?.id ?? '') : (id ?? '');
  return { scope, scope_line: line };
}

interface ChannelFieldsProps {
  kind: ChannelKindName;
  /** Whether secrets are required. For an existing channel, an empty secret keeps the stored one. */
  isNew: boolean;
  /** Whether quiet hours start with the browser's time zone. */
  ownZone?: boolean;
}

export function ChannelFields({ kind, isNew, ownZone }: ChannelFieldsProps): VNode {
  return (
    <>
      <TextField name="channel_name" label={t('Name')} maxLength={LONGEST_NAME} />
      {fieldsOf(kind).map((field) => (
        <Field key={field.name} field={field} isNew={isNew} />
      ))}
      <ScopeFields />
      {kind !== 'webhook' && (
        <SelectField
          name="channel_language"
          label={t('Language')}
          choices={LANGUAGES.map((value) => ({ value, label: WRITTEN[value].name }))}
        />
      )}
      <SelectField name="remind" label={t('Remind while open')} choices={reminders()} />
      <fieldset class="field choices">
        <legend>
          {t('Quiet hours')} <span class="optional">{t('(optional)')}</span>
        </legend>
        <p class="hint">
          {t('During quiet hours, only urgent alerts are sent. The others are sent afterwards.')}
        </p>
        <div class="tiles">
          <TextField name="quiet_from" label={t('Quiet from')} type="time" />
          <TextField name="quiet_to" label={t('Quiet until')} type="time" />
          <TextField
            name="time_zone"
            label={t('Time zone')}
            placeholder="America/Sao_Paulo"
            maxLength={60}
            ownZone={ownZone}
          />
        </div>
      </fieldset>
    </>
  );
}

/** The choices of the channel's scope. With many lines, a search field instead of a list. */
function ScopeFields(): VNode {
  const { may, within } = useRequest();
  const lines = within('alerts.manage').lines.all();
  const everything = may('gateway') ? [{ value: 'gateway', label: t('Everything') }] : [];
  const isOverAll = may('alerts.manage', null);
  if (lines.length > MOST_CHOICES)
    return (
      <>
        <SelectField
          name="scope"
          label={t('Notify about')}
          choices={[
            ...everything,
            { value: 'line', label: t('One line and its business account') },
            ...(isOverAll
              ? [{ value: 'account', label: t('All lines of the business account of one line') }]
              : []),
          ]}
        />
        <LineField name="scope_line" permission="alerts.manage" none={null} optional />
      </>
    );
  const accounts = [...Map.groupBy(lines, ({ wabaId }) => wabaId)].filter(
    ([, ofAccount]) => isOverAll && ofAccount.length > 1,
  );
  return (
    <SelectField
      name="scope"
      label={t('Notify about')}
      choices={[
        ...everything,
        ...accounts.map(([id, ofAccount]) => ({
          value: `account:${id}`,
          label: t('The {count, number} lines of business account {id}', { count: ofAccount.length, id }),
        })),
        ...lines.map(({ id, name }) => ({ value: `line:${id}`, label: t('Line {name}', { name }) })),
      ]}
    />
  );
}

const NO_SCOPE = { scope: null, scopeId: null };

/** Reads the scope from the list, or from the search field if there are many lines. */
function readScope({ deps, may }: UserContext, state: FormState): Pick<ChannelInput, 'scope' | 'scopeId'> {
  const [scope, given] = state.text('scope').split(':');
  if (scope === 'gateway' && may('gateway')) return { scope, scopeId: null };
  if (scope !== 'line' && !(scope === 'account' && may('alerts.manage', null))) return NO_SCOPE;
  if (given === undefined) {
    const { line } = chosenLine(deps.lines.all(), state.text('scope_line'));
    return line ? { scope, scopeId: scope === 'line' ? String(line.id) : line.wabaId } : NO_SCOPE;
  }
  const isThere =
    scope === 'line'
      ? deps.lines.byId(Number(given)) !== null
      : deps.lines.ofBusinessAccount(given).length > 0;
  return isThere ? { scope, scopeId: given } : NO_SCOPE;
}

function Field({ field, isNew }: { field: ChannelField; isNew: boolean }): VNode {
  const { name, isSecret, isOptional: optional, type, choices, placeholder } = field;
  const label = t.known(field.label);
  const hint = field.hint && t.known(field.hint);
  const common = { name, label, hint, optional };
  if (choices)
    return (
      <SelectField {...common} choices={choices.map((one) => ({ ...one, label: t.known(one.label) }))} />
    );
  if (isSecret && type !== 'long')
    return (
      <SecretField
        {...common}
        hint={isNew ? (hint ?? placeholder) : t('Leave it empty to keep the one that is stored.')}
      />
    );
  if (type === 'long')
    return (
      <LongField
        {...common}
        rows={3}
        hint={isSecret && !isNew ? t('Leave it empty to keep what is stored.') : hint}
      />
    );
  return (
    <TextField
      {...common}
      type={type === 'tel' || type === 'url' ? type : 'text'}
      placeholder={placeholder}
      maxLength={2048}
    />
  );
}

/** The submitted channel. */
export function typedChannel(context: UserContext, kind: ChannelKindName, state: FormState): ChannelInput {
  const [from, to] = [state.text('quiet_from'), state.text('quiet_to')];
  const remind = reminders().find(({ value }) => value === state.text('remind'))?.value ?? '';
  return {
    kind,
    name: state.text('channel_name'),
    ...readScope(context, state),
    quiet: from || to ? { from, to } : null,
    timeZone: state.text('time_zone'),
    remindHours: remind ? Number(remind) : null,
    language: knownLanguage(state.text('channel_language')) ?? 'en',
    settings: Object.fromEntries(fieldsOf(kind).map(({ name }) => [name, state.text(name)])),
  };
}

/** Form field names that differ from the names in issues. */
export const namesIn = (state: FormState): Record<string, string> => ({
  name: 'channel_name',
  ...(state.has('scope_line') && state.text('scope') && { scope: 'scope_line' }),
});
