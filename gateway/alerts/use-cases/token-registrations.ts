import { removeDestination } from '../../forwarding/destinations/remove-destination';
import { stateOfToken } from '../../lines/tokens';
import { cancelQuestion } from '../../questions/question';
import { type ChannelRow } from '../../store/tables/alerts';
import { type Actor } from '../../store/tables/audit';
import { type DestinationRow } from '../../store/tables/destinations';
import { type QuestionRow } from '../../store/tables/questions';
import { type TokenRow } from '../../store/tables/tokens';
import { type AuditedDeps } from '../../store/with-audit';
import { isoTime } from '../../time';
import { removeChannel } from './remove-channel';

/** Everything registered with a token or its predecessors, which outlives the token's revocation or expiry. */
export interface Registrations {
  destinations: DestinationRow[];
  /** Webhooks for alerts. */
  channels: ChannelRow[];
  /** Open questions, whose answers go to a callback URL given by the token. */
  questions: QuestionRow[];
  /** The valid token that replaced it, which shares the registrations; null if none. */
  successor: TokenRow | null;
}

/** Reads several tokens at once. The registrations of a replaced and expired token belong to its successor. */
export async function registrationsOf(
  { store, clock }: Pick<AuditedDeps, 'store' | 'clock'>,
  tokens: TokenRow[],
): Promise<(token: TokenRow) => Registrations> {
  const firstIds = tokens.map(firstOf);
  const destinations = await store.destinations.registeredBy(firstIds);
  const channels = (await store.alerts.channels()).filter(({ origin }) => origin === 'token');
  const latest = await store.tokens.latestOf(firstIds);
  const now = isoTime(clock());
  const questions = await store.questions.askedBy(firstIds, now);
  return (token) => {
    const first = firstOf(token);
    const last = latest.get(first);
    const next = last && last.id !== token.id ? last : null;
    const hasLeft = stateOfToken(token, now) === 'expired' && next !== null;
    const isIts = ({ token_id: id }: { token_id: number | null }) => !hasLeft && id === first;
    return {
      destinations: destinations.filter(isIts),
      channels: channels.filter(isIts),
      questions: questions.filter(isIts),
      successor: next && stateOfToken(next, now) === 'active' ? next : null,
    };
  };
}

/** The first token of the chain of replacements, which identifies the registrations of all. */
const firstOf = ({ id, first_id: first }: TokenRow): number => first ?? id;

export const countOf = ({ destinations, channels, questions }: Registrations): number =>
  destinations.length + channels.length + questions.length;

/** Removes the registrations one by one, and cancels the questions. If interrupted, it can be repeated. */
export async function removeRegistrations(
  deps: AuditedDeps,
  actor: Actor,
  { destinations, channels, questions }: Registrations,
): Promise<void> {
  for (const { id, line_id: lineId, url } of destinations)
    await removeDestination(deps, actor, { id, lineId, url });
  for (const channel of channels) await removeChannel(deps, actor, channel);
  for (const { line_id: lineId, id } of questions) await cancelQuestion(deps, actor, lineId, id);
}
