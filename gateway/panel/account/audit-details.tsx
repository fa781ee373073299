import { Fragment, type ComponentChildren, type VNode } from 'preact';
import { textOf } from '../../alerts/incident-text';
import { isConditionKind } from '../../alerts/kinds';
import { type AlertFact } from '../../wording/facts';
import { languageNow } from '../../wording/language';
import { ruleOf, sayRule } from '../../wording/say';
import { addressInAudit, addressWithoutPath } from '../../store/tables/audit';
import { type AuditRow } from '../../store/tables/audit-row';
import { type FieldChange } from '../../store/with-audit';
import { type DestinationRow } from '../../store/tables/destinations';
import { number } from '../languages/numbers';
import { t } from '../languages/t';
import { Said } from '../languages/said';
import { type UserContext } from '../request-context';
import { shortAddress } from '../ui/shown-address';
import { useRequest } from '../ui/page-request';
import { Time } from '../ui/parts';
import { changeWord, detailWord, valueWord } from './audit-words';

/** Current names of objects in audit entries; for removed objects, the last name if stored. */
export interface AuditNames {
  lines: Map<number, string>;
  destinations: Map<number, DestinationRow>;
  /** By line and token ending; null if tokens with different names share the ending. */
  tokens: Map<string, string | null>;
}

type Details = Record<string, unknown>;

const detailsOf = ({ details }: AuditRow): Details => JSON.parse(details) as Details;
const idIn = (value: unknown): number[] => (typeof value === 'number' ? [value] : []);
const tokenKey = (lineId: number, ending: unknown): string => `${lineId} ${String(ending)}`;

export async function namesIn({ deps }: UserContext, rows: AuditRow[]): Promise<AuditNames> {
  const { store } = deps;
  const all = rows.map((row) => ({ row, details: detailsOf(row) }));
  const lineIds = [...new Set(rows.flatMap(({ line_id: id }) => idIn(id)))];
  const ofTokens = all.filter(({ details }) => 'token' in details);
  const [lines, destinations, tokens] = await Promise.all([
    Promise.all(lineIds.map(async (id) => deps.lines.byId(id) ?? (await store.lines.findRemoved(id)))),
    store.destinations.some([...new Set(all.flatMap(({ details }) => idIn(details.destination)))]),
    Promise.all([...new Set(ofTokens.flatMap(({ row }) => idIn(row.line_id)))].map(store.tokens.ofLine)),
  ]);
  const names = new Map<string, string | null>();
  for (const { line_id: lineId, last_four: ending, name } of tokens.flat()) {
    const key = tokenKey(lineId, `…${ending}`);
    names.set(key, names.has(key) && names.get(key) !== name ? null : name);
  }
  return {
    lines: new Map(lines.flatMap((line) => (line?.name ? [[line.id, line.name]] : []))),
    destinations: new Map(destinations.map((row) => [row.id, row])),
    tokens: names,
  };
}

interface Props {
  row: AuditRow;
  names: AuditNames;
}

/** Details whose values need no label. */
const PLAIN = new Set([
  'line',
  'name',
  'destination',
  'url',
  'token',
  'channel',
  'condition',
  'user',
  'role',
  'result',
  'what',
  'kind',
]);

/** The subject and the details of an entry. */
export function AuditDetails(props: Props): VNode {
  const parts = partsOf(useRequest(), props);
  return (
    <>
      {parts.map(([name, value], index) => (
        <Fragment key={name}>
          {index > 0 && ' · '}
          {!PLAIN.has(name) && !name.startsWith('change ') && <span class="quiet">{detailWord(name)}: </span>}
          {value}
        </Fragment>
      ))}
    </>
  );
}

function partsOf(context: UserContext, props: Props): [string, ComponentChildren][] {
  const { deps } = context;
  const { row, names } = props;
  const details = detailsOf(row);
  const { name, destination, url, token, replaces, condition, channel, user, changes, ...others } = details;
  const parts: [string, ComponentChildren][] = [];
  const [thing] = row.action.split('.');
  const lineId = row.line_id;
  // The name when the entry was written.
  const then = typeof name === 'string' ? name : null;
  if (lineId !== null) {
    const now = names.lines.get(lineId) ?? (thing === 'line' ? then : null) ?? t('Line {id}', { id: lineId });
    const isThere = deps.lines.byId(lineId) !== null;
    parts.push(['line', isThere ? <a href={`/panel/lines/${lineId}`}>{now}</a> : now]);
    if (thing === 'line' && then !== null && then !== now) parts.push(['name', then]);
  }
  if (destination !== undefined) parts.push(['destination', <Destination {...props} details={details} />]);
  else if (url !== undefined) parts.push(['url', valueOf(row.action, 'url', url)]);
  for (const [key, ending] of Object.entries({ token, replaces })) {
    if (ending === undefined) continue;
    const called = then ?? names.tokens.get(tokenKey(lineId ?? 0, ending));
    const whole = <span class="number">{called ? `(${String(ending)})` : String(ending)}</span>;
    parts.push([key, called ? [`${called} `, whole] : whole]);
  }
  if (channel !== undefined) parts.push(['channel', then ?? String(channel)]);
  else if (then !== null && thing !== 'line' && token === undefined) parts.push(['name', then]);
  if (user !== undefined) parts.push(['user', String(user)]);
  if (condition !== undefined) {
    const { threshold } = others;
    delete others.threshold;
    parts.push(['condition', conditionText(String(condition), Number(threshold))]);
  }
  for (const [key, value] of Object.entries(others))
    if (value !== null) parts.push([key, valueOf(row.action, key, value)]);
  for (const one of (changes ?? []) as FieldChange[])
    parts.push([`change ${one.field}`, <Change of={one} action={row.action} />]);
  return parts;
}

/** "name: Old → New". For a secret, only that it changed. */
function Change({ of: { field, from, to }, action }: { of: FieldChange; action: string }): VNode {
  const value = (one: unknown) =>
    one === null || (Array.isArray(one) && !one.length) ? (
      <span class="quiet">{t.of('value', 'none')}</span>
    ) : (
      valueOf(action, field, one)
    );
  return (
    <>
      <span class="quiet">
        {changeWord(field)}
        {to !== undefined && ': '}
      </span>
      {to !== undefined && (
        <>
          {value(from)} <span aria-hidden="true">→</span>
          <span class="sr-only">{t.of('change', 'is now')}</span> {value(to)}
        </>
      )}
    </>
  );
}

const conditionText = (kind: string, threshold: number): string =>
  isConditionKind(kind) ? sayRule(languageNow(), kind, number(threshold)).replace(/\.$/, '') : kind;

/** The muted incident. Older entries contain a finished sentence. */
function mutedText(what: unknown): ComponentChildren {
  if (typeof what === 'string') return <Said>{what}</Said>;
  const { kind, values } = what as Partial<AlertFact>;
  if (kind === undefined) return t('Everything');
  if (!values) return isConditionKind(kind) ? ruleOf(languageNow(), kind) : kind;
  const prose = { title: kind, text: '', over: '', action: '' };
  return textOf(languageNow(), { kind, facts: { values }, prose }).title;
}

/** The destination's URL. If the URL has changed or the destination is removed, the URL in the entry. */
function Destination({ names, details }: Props & { details: Details }): VNode {
  const context = useRequest();
  const id = Number(details.destination);
  const row = names.destinations.get(id);
  const then = typeof details.url === 'string' ? details.url : null;
  if (!row) return <>{then === null ? id : `${then} (${id})`}</>;
  // Entries of older versions have no path.
  const isSame =
    then === null || [addressInAudit(row.url), addressWithoutPath(row.url)].includes(String(details.url));
  const address = isSame && row.url ? shortAddress(context, row.line_id, row.url) : (then ?? '');
  const text = isSame && row.url ? address : `${address} (${id})`.trim();
  return row.removed_at === null ? (
    <a href={`/panel/lines/${row.line_id}/destinations/${id}`}>{text}</a>
  ) : (
    <>{text}</>
  );
}

function valueOf(action: string, name: string, value: unknown): ComponentChildren {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(value))
    return <Time at={value} to="minute" />;
  // The vault's fingerprint of the contact.
  if (name === 'contact' && typeof value === 'string' && /^[\da-f]{16}$/.test(value))
    return (
      <>
        {value} <span class="quiet">{t('(numbers are not stored here)')}</span>
      </>
    );
  if (name === 'what') return mutedText(value);
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (Array.isArray(value))
    return value.map((one) => valueWord(action, name, String(one)) ?? changeWord(String(one))).join(', ');
  if (typeof value === 'number') return number(value);
  return typeof value === 'string' ? (valueWord(action, name, value) ?? value) : JSON.stringify(value);
}
