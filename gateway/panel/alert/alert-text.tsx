import { type VNode } from 'preact';
import { type Condition } from '../../alerts/conditions/condition';
import { factOf, subjectOf, textOf, type IncidentFacts, type Subject } from '../../alerts/incident-text';
import { type IncidentRow } from '../../store/tables/alerts';
import { type DestinationRow } from '../../store/tables/destinations';
import { type AlertText } from '../../wording/facts';
import { languageNow } from '../../wording/language';
import { Breakable } from '../languages/breakable';
import { Said } from '../languages/said';
import { t } from '../languages/t';
import { type RequestContext } from '../request-context';
import { shortAddress } from '../ui/shown-address';
import { ALERTS_PATH } from './alert-path';

/** A link to the page where this user can fix the cause of an alert. */
export function alertLink(
  { may }: Pick<RequestContext, 'may'>,
  path: string,
): { href: string; label: string } {
  const href = openable(may, path);
  const label = (): string => {
    if (href.includes('state=dead')) return may('deliveries.replay') ? t('View and resend') : t('See why');
    if (href.startsWith('/panel/events')) return t('See events');
    if (href.endsWith('/edit')) return t('Add access token');
    if (href === '/panel/lines') return t('Open lines');
    if (href.startsWith('/panel/lines')) return t('Open line');
    if (href.startsWith('/panel/templates')) return t('Open templates');
    if (href.startsWith('/panel/tokens')) return t('Open tokens');
    if (href.startsWith('/panel/customers/')) return t('Open customer');
    if (href.startsWith('/panel/alerts/')) return t('Open channel');
    if (href.startsWith('/panel/alerts')) return t('Open alerts');
    return href.startsWith('/panel/audit') ? t('Open audit log') : t('Open overview');
  };
  return { href, label: label() };
}

/** The path, or the nearest page that this user may open. */
function openable(may: RequestContext['may'], path: string): string {
  const edited = /\/(\d+)\/edit$/.exec(path)?.[1];
  if (edited && !may('lines.manage', Number(edited))) return path.replace(/\/edit$/, '');
  if (path.startsWith('/panel/customers/') && !may('gateway', null)) return ALERTS_PATH;
  return path.startsWith('/panel/audit') && !may('audit.read', null) ? '/panel/alerts' : path;
}

export const subjectOfCondition = ({ kind, values }: Condition): Subject => ({
  kind,
  facts: { values },
  prose: { title: '', text: '', over: '', action: '' },
});

/**
 * The text of an alert on a page. It shows the destination's URL as this user may see it, so that
 * destinations on one host can be told apart.
 */
export function alertText(
  context: Pick<RequestContext, 'may'>,
  of: Subject,
  destination: Pick<DestinationRow, 'id' | 'line_id' | 'url'> | undefined,
): Record<keyof AlertText, VNode | null> {
  const isFact = factOf(of) !== null;
  const text = textOf(languageNow(), destination ? withAddress(context, of, destination) : of);
  const shown = (sentence: string): VNode | null => {
    if (!sentence) return null;
    return isFact ? <Breakable>{sentence}</Breakable> : <Said>{sentence}</Said>;
  };
  const { title, over, action } = text;
  return { title: shown(title), text: shown(text.text), over: shown(over), action: shown(action) };
}

function withAddress(
  context: Pick<RequestContext, 'may'>,
  of: Subject,
  { id, line_id: lineId, url }: Pick<DestinationRow, 'id' | 'line_id' | 'url'>,
): Subject {
  if (!of.facts || !('place' in of.facts.values)) return of;
  const address = shortAddress(context, lineId, url);
  const place = {
    ...of.facts.values.place,
    address: address.endsWith('/…') ? `${address} (${id})` : address,
  };
  return { ...of, facts: { ...of.facts, values: { ...of.facts.values, place } } as IncidentFacts };
}

export const incidentText = (
  context: Pick<RequestContext, 'may'>,
  row: IncidentRow,
  destination: Pick<DestinationRow, 'id' | 'line_id' | 'url'> | undefined,
) => alertText(context, subjectOf(row), destination);
