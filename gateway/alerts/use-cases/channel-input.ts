import { LONGEST_LIFE } from '../../forwarding/destinations/destination-input';
import { type DestinationRules } from '../../http/destination-address';
import { Issues } from '../../primitives/issues';
import { type AlertScope } from '../../store/schema';
import { fact } from '../../wording/facts';
import { LANGUAGES, type Language } from '../../wording/language';
import { type ChannelField, type ChannelSettings } from '../channels/channel-kind';
import { CHANNEL_KINDS, type ChannelKindName } from '../channels/kinds';
import { withSecret } from '../channels/webhook';
import { isHour, isTimeZone } from '../quiet-hours';

/** The submitted fields of a channel. */
export interface ChannelInput {
  kind: ChannelKindName;
  name: string;
  /** Null if none was selected. */
  scope: AlertScope | null;
  /** The id of the line or business account. */
  scopeId: string | null;
  quiet: { from: string; to: string } | null;
  timeZone: string;
  remindHours: number | null;
  /** The language of its alerts. */
  language: Language;
  /** An empty secret keeps the stored one. */
  settings: ChannelSettings;
  /** Seconds until the channel is removed automatically. */
  expiresIn?: number | undefined;
}

/** The validated fields. */
export type ChannelValues = ChannelInput & { scope: AlertScope };

/** The stored channel that the input changes. */
interface Stored {
  name: string;
  settings: ChannelSettings;
}

export const LONGEST_NAME = 60;
/** A week. */
export const MOST_REMIND_HOURS = 168;

/**
 * Validates the fields of a channel, for the API, the panel and the command line.
 * @param stored null for a new channel
 * @throws Refusal with all issues, by field
 */
export function channelInput(
  rules: DestinationRules,
  given: ChannelInput,
  stored: Stored | null = null,
): ChannelValues {
  const { kind, name, scope, quiet, timeZone } = given;
  const issues = new Issues();
  issues.addChoice('kind', Object.keys(CHANNEL_KINDS), kind);
  issues.check();
  issues.addName(name, LONGEST_NAME, stored?.name);
  issues.addChoice('language', LANGUAGES, given.language);
  if (given.remindHours !== null)
    issues.addWhole(
      'remind_hours',
      given.remindHours,
      [1, MOST_REMIND_HOURS],
      fact('number.range', { most: MOST_REMIND_HOURS }),
    );
  for (const field of Object.keys(given.settings))
    issues.addChoice(
      'settings',
      fieldsOf(kind).map(({ name: known }) => known),
      field,
    );
  const settings = settingsIn(given, stored?.settings ?? {}, issues);
  for (const [field, fault] of Object.entries(CHANNEL_KINDS[kind].check?.(settings, rules) ?? {}))
    issues.add(field, field === 'url' ? 'address' : field, fault);
  for (const field of fieldsOf(kind))
    if (!settings[field.name] && !field.isOptional)
      issues.add(field.name, 'value', fact('value.missing', {}));

  if (!scope) issues.add('scope', 'scope', fact('scope.missing', {}));
  if (quiet && !isHour(quiet.from)) issues.add('quiet_from', 'time', fact('time.invalid', {}));
  if (quiet && !isHour(quiet.to)) issues.add('quiet_to', 'time', fact('time.invalid', {}));
  if (!isTimeZone(timeZone)) issues.add('time_zone', 'time_zone', fact('time_zone.unknown', {}));
  issues.addSeconds('expires_in', given.expiresIn, LONGEST_LIFE);
  issues.check();
  return { ...given, settings: kind === 'webhook' ? withSecret(settings) : settings } as ChannelValues;
}

/** Adds the stored secrets, unless they would be sent to another server. */
function settingsIn(
  { kind, settings }: ChannelInput,
  stored: ChannelSettings,
  issues: Issues,
): ChannelSettings {
  const kept = ({ name, isSecret }: ChannelField) => (isSecret && stored[name]) || '';
  const goesElsewhere = fieldsOf(kind).some(
    (field) => field.isServer && (settings[field.name] || kept(field)) !== (stored[field.name] ?? ''),
  );
  const values = fieldsOf(kind).map((field): [string, string] => {
    const { name, choices } = field;
    const value = settings[name] || (goesElsewhere ? '' : kept(field));
    if (kept(field) && !value) issues.add(name, 'server', fact('server.changed', {}));
    if (choices)
      issues.addChoice(
        name,
        choices.map((one) => one.value),
        value,
      );
    return [name, value];
  });
  return Object.fromEntries(values);
}

const fieldsOf = (kind: ChannelKindName): ChannelField[] => CHANNEL_KINDS[kind].fields;
