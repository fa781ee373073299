import { type VNode } from 'preact';
import { type ChannelField, type ChannelSettings } from '../../alerts/channels/channel-kind';
import { CHANNEL_KINDS, type ChannelKindName } from '../../alerts/channels/kinds';
import { isTimeZone } from '../../alerts/quiet-hours';
import { REMIND_HOURS, type ChannelTerms } from '../../alerts/use-cases/add-channel';
import { type Line } from '../../lines/line';
import { faultOfCharacters } from '../../primitives/visible-text';
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

/** Filled in as a new channel is, or as one is stored; secrets are never shown. @param zone of who adds it */
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
  /** Whether quiet hours begin in the time zone of the browser. */
  ownZone?: boolean;
}

export function ChannelFields({ kind, isNew, ownZone }: ChannelFieldsProps): VNode {
  return (
    <>
      <TextField name="channel_name" label={t('Name')} maxLength={60} />
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

/** The choices of what the channel covers. With many lines, a field to search for one. */
function ScopeFields(): VNode {
  const lines = useRequest().deps.lines.all();
  const everything = { value: 'gateway', label: t('Everything') };
  if (lines.length > MOST_CHOICES)
    return (
      <>
        <SelectField
          name="scope"
          label={t('Notify about')}
          choices={[
            everything,
            { value: 'line', label: t('One line and its business account') },
            { value: 'account', label: t('All lines of the business account of one line') },
          ]}
        />
        <LineField name="scope_line" none={null} optional />
      </>
    );
  const accounts = [...Map.groupBy(lines, ({ wabaId }) => wabaId)].filter(
    ([, ofAccount]) => ofAccount.length > 1,
  );
  return (
    <SelectField
      name="scope"
      label={t('Notify about')}
      choices={[
        everything,
        ...accounts.map(([id, ofAccount]) => ({
          value: `account:${id}`,
          label: t('The {count, number} lines of business account {id}', { count: ofAccount.length, id }),
        })),
        ...lines.map(({ id, name }) => ({ value: `line:${id}`, label: t('Line {name}', { name }) })),
      ]}
    />
  );
}

/** Scope and its id, chosen in either way; null if invalid. */
function readScope({ deps }: UserContext, state: FormState): Pick<ChannelTerms, 'scope' | 'scopeId'> | null {
  const [scope, given] = state.text('scope').split(':');
  if (scope === 'gateway') return { scope, scopeId: null };
  if (scope !== 'line' && scope !== 'account') return null;
  if (given === undefined) {
    const { line } = chosenLine(deps.lines.all(), state.text('scope_line'));
    return line && { scope, scopeId: scope === 'line' ? String(line.id) : line.wabaId };
  }
  const isThere =
    scope === 'line'
      ? deps.lines.byId(Number(given)) !== null
      : deps.lines.ofBusinessAccount(given).length > 0;
  return isThere ? { scope, scopeId: given } : null;
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

/**
 * The submitted channel, with its issues.
 * @param stored the settings that an empty secret keeps
 */
export function readChannel(
  context: UserContext,
  kind: ChannelKindName,
  state: FormState,
  stored: ChannelSettings | null,
  nameBefore: string | null = null,
): { settings: ChannelSettings; terms: ChannelTerms } {
  const settings: ChannelSettings = {};
  const typedAs = ({ name, isSecret }: ChannelField) =>
    isSecret ? state.exact(name).trim() : state.text(name);
  const goesElsewhere = fieldsOf(kind).some((field) => {
    const before = stored?.[field.name] ?? '';
    return field.isServer && before !== (typedAs(field) || (field.isSecret ? before : ''));
  });
  for (const field of fieldsOf(kind)) {
    const { name, label, isSecret, isOptional } = field;
    const kept = (isSecret && stored?.[name]) || '';
    const value = typedAs(field) || (goesElsewhere ? '' : kept);
    settings[name] = value;
    // A user who may change the server must not see what was set before.
    if (kept && !value) state.addIssue(name, t('Enter it again, because the server has changed.'));
    else if (!value && !isOptional) state.addIssue(name, t('{label} is missing.', { label: t.known(label) }));
  }
  if (state.isValid)
    for (const [name, issue] of Object.entries(
      CHANNEL_KINDS[kind].check?.(settings, context.deps.rules) ?? {},
    ))
      state.addIssue(name, issue);
  return { settings, terms: readTerms(context, state, nameBefore) };
}

const HOUR = /^([01]\d|2[0-3]):[0-5]\d$/;

function readTerms(context: UserContext, state: FormState, nameBefore: string | null): ChannelTerms {
  const name = state.required('channel_name', t('Enter a name.')).slice(0, 60);
  if (name !== nameBefore) state.addIssue('channel_name', faultOfCharacters(name));
  const scope = readScope(context, state);
  const isMany = context.deps.lines.all().length > MOST_CHOICES;
  if (!scope && isMany && state.text('scope')) state.addIssue('scope_line', t('Choose the line.'));
  else if (!scope) state.addIssue('scope', t('Choose which lines the channel covers.'));
  const [from, to, timeZone] = [state.text('quiet_from'), state.text('quiet_to'), state.text('time_zone')];
  if (from && !HOUR.test(from)) state.addIssue('quiet_from', t('Use the format 22:00.'));
  if ((to || from) && !HOUR.test(to)) state.addIssue('quiet_to', t('Use the format 07:00.'));
  if (!isTimeZone(timeZone))
    state.addIssue('time_zone', t('Enter a time zone, such as America/Sao_Paulo or UTC.'));
  const remind = reminders().find(({ value }) => value === state.text('remind'))?.value ?? '';
  return {
    name,
    ...(scope ?? { scope: 'gateway', scopeId: null }),
    quiet: from ? { from, to } : null,
    timeZone,
    remindHours: remind ? Number(remind) : null,
    language: knownLanguage(state.text('channel_language')) ?? 'en',
  };
}
