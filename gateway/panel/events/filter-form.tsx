import { type ComponentChildren, type VNode } from 'preact';
import { LISTED_STATES, MOST_DESTINATIONS } from '../../store/reports/delivery-list';
import { FAILED_OUTCOMES } from '../../store/schema';
import { type DestinationRow } from '../../store/tables/destinations';
import { t } from '../languages/t';
import { FormState } from '../form-state';
import { type UserContext } from '../request-context';
import { causeWords, isCause } from '../ui/words/causes';
import { Time } from '../ui/parts';
import { SelectField } from '../ui/form';
import { chosenLine, LineField } from '../ui/line-field';
import { LogFilter, WordsField, type Chip, type Preset } from '../log/log-filter';
import { stateWord } from '../log/delivery-words';
import { timesOf } from '../log/times';
import { ABOUT, addressOf, queryOf, type About, type Filter } from './filter';
import { shortAddress } from '../ui/shown-address';
import { CustomerField } from '../ui/customer-field';
import { useRequest } from '../ui/page-request';

/** The destinations offered by the filter: the latest of the chosen line, and the chosen one. */
export async function choicesOf(
  { deps }: UserContext,
  { line: asked, destination }: Filter,
): Promise<DestinationRow[]> {
  const { destinations } = deps.store;
  const { line } = chosenLine(deps.lines.all(), asked);
  const latest = await destinations.latest(line?.id ?? null, MOST_DESTINATIONS);
  const isOffered = !destination || latest.some(({ id }) => String(id) === destination);
  const chosen = isOffered ? null : await destinations.find(Number(destination));
  return [...(chosen ? [chosen] : []), ...latest].toSorted((one, other) => one.id - other.id);
}

const any = (label: string) => ({ value: '', label });

const aboutWords = (): Record<About, string> => ({
  messages: t('Messages of contacts'),
  echoes: t('Sent from the phone app'),
  statuses: t('Statuses of your messages'),
  account: t('Account'),
});

interface FilterFormProps {
  filter: Filter;
  /** Given up deliveries of the chosen line and destination. */
  dead: number;
  destinations: DestinationRow[];
}

export function FilterForm({ filter, dead, destinations }: FilterFormProps): VNode {
  const context = useRequest();
  const { state: stateOfIt, about, ...texts } = filter;
  const state = new FormState({ ...texts, state: stateOfIt ?? '', about: about ?? '' });
  const hasLine = chosenLine(context.deps.lines.all(), filter.line).line !== null;
  return (
    <LogFilter
      action="/panel/events"
      presets={presetsOf(filter, dead)}
      times={timesOf(context, filter, addressOf)}
      first={<WordsField state={state} />}
      chips={chipsOf(context, filter, destinations)}
      isShown={filter.line !== '' && !hasLine}
      from={filter.from}
      to={filter.to}
      more={
        <>
          <CustomerField />
          <LineField state={state} />
          <SelectField
            state={state}
            name="destination"
            label={t('Destination')}
            hint={
              destinations.length < MOST_DESTINATIONS
                ? undefined
                : t('The latest ones. Choose a line to see others.')
            }
            choices={[
              any(t.of('destinations', 'All')),
              ...destinations.map(({ id, url, line_id: lineId }) => ({
                value: String(id),
                label: `${filter.line ? '' : `${context.deps.lines.byId(lineId)?.name ?? lineId} · `}${shortAddress(context, lineId, url)} (${id})`,
              })),
            ]}
          />
          <SelectField
            state={state}
            name="about"
            label={t('About')}
            choices={[
              any(t.of('subjects', 'All')),
              ...ABOUT.map((value) => ({ value, label: aboutWords()[value] })),
            ]}
          />
          <SelectField
            state={state}
            name="state"
            label={t('State')}
            choices={[
              any(t.of('states', 'All')),
              ...LISTED_STATES.map((value) => ({ value, label: stateWord(value) })),
            ]}
          />
          <SelectField
            state={state}
            name="cause"
            label={t('Why it failed')}
            choices={[
              any(t('Any result')),
              ...FAILED_OUTCOMES.map((value) => ({ value, label: causeWords(value).word })),
            ]}
          />
        </>
      }
    />
  );
}

/** The active filters that no preset shows, each with a link that removes it. */
function chipsOf(context: UserContext, filter: Filter, destinations: DestinationRow[]): Chip[] {
  const { customer, destination, state, cause, about, from, to } = filter;
  const of = customer ? context.customers().find((one) => String(one?.id ?? 'none') === customer) : undefined;
  const chosen = destinations.find(({ id }) => String(id) === destination);
  const without = (name: keyof Filter) => addressOf({ ...filter, [name]: null });
  const chips: [keyof Filter, ComponentChildren][] = [];
  if (customer) chips.push(['customer', of?.name ?? t.of('customer', 'None')]);
  if (chosen) chips.push(['destination', shortAddress(context, chosen.line_id, chosen.url)]);
  const isPreset = presetsOf(filter, 0).some(({ isOn }) => isOn);
  if (state && !isPreset) chips.push(['state', stateWord(state)]);
  if (about && !isPreset) chips.push(['about', aboutWords()[about]]);
  if (isCause(cause)) chips.push(['cause', causeWords(cause).word]);
  if (from && !timesOf(context, filter, addressOf).some(({ isOn }) => isOn))
    chips.push(['from', t.rich('From {when}', { when: <Time at={from} to="minute" /> })]);
  if (to) chips.push(['to', t.rich('Until {when}', { when: <Time at={to} to="minute" /> })]);
  return chips.map(([name, label]) => ({ name, label, href: without(name) }));
}

/** The presets keep the chosen customer, line and destination. */
function presetsOf({ line, customer, destination, ...others }: Filter, dead: number): Preset[] {
  const asked = String(queryOf({ ...others, from: '', to: '' }));
  const preset = (label: string, only: Partial<Filter>, count = 0): Preset => ({
    label,
    href: addressOf({ line, customer, destination, ...only }),
    isOn: String(queryOf(only)) === asked,
    count,
  });
  return [
    preset(t.of('events', 'All'), {}),
    preset(t.of('events', 'Given up'), { state: 'dead' }, dead),
    preset(t.of('events', 'Waiting'), { state: 'waiting' }),
    preset(t('From contacts'), { about: 'messages' }),
    preset(t('Statuses'), { about: 'statuses' }),
  ];
}
