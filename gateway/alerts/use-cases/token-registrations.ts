import { removeDestination } from '../../forwarding/destinations/remove-destination';
import { stateOfToken } from '../../lines/tokens';
import { cancelQuestion } from '../../questions/question';
import { type ChannelRow } from '../../store/tables/alerts';
import { type Actor } from '../../store/tables/audit';
import { type DestinationRow } from '../../store/tables/destinations';
import { type QuestionRow } from '../../store/tables/questions';
import { type TokenColumn, type TokenRow } from '../../store/tables/tokens';
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
  /** The valid line token that replaced it, which shares the registrations; null if none. */
  successor: TokenRow | null;
}

/**
 * Reads several line tokens at once. The registrations of a replaced and expired token belong to its successor.
 */
export async function registrationsOf(
  deps: RegistrationDeps,
  tokens: TokenRow[],
): Promise<(token: TokenRow) => Registrations> {
  const firstIds = tokens.map(firstOf);
  const registered = await registeredWith(deps, 'token_id', firstIds);
  const latest = await deps.store.tokens.latestOf(firstIds);
  const now = isoTime(deps.clock());
  return (token) => {
    const first = firstOf(token);
    const last = latest.get(first);
    const next = last && last.id !== token.id ? last : null;
    const hasLeft = stateOfToken(token, now) === 'expired' && next !== null;
    return {
      ...(hasLeft ? NOTHING : registered(first)),
      successor: next && stateOfToken(next, now) === 'active' ? next : null,
    };
  };
}

/** Reads several admin tokens at once. Nothing replaces an admin token. */
export async function registrationsOfAdmin(
  deps: RegistrationDeps,
  ids: number[],
): Promise<(id: number) => Registrations> {
  const registered = await registeredWith(deps, 'admin_token_id', ids);
  return (id) => ({ ...registered(id), successor: null });
}

type RegistrationDeps = Pick<AuditedDeps, 'store' | 'clock'>;
type Registered = Omit<Registrations, 'successor'>;

const NOTHING: Registered = { destinations: [], channels: [], questions: [] };

async function registeredWith(
  { store, clock }: RegistrationDeps,
  column: TokenColumn,
  ids: number[],
): Promise<(id: number) => Registered> {
  const destinations = await store.destinations.registeredBy(column, ids);
  const channels = (await store.alerts.channels()).filter(({ origin }) => origin === 'token');
  const questions = await store.questions.askedBy(column, ids, isoTime(clock()));
  return (id) => ({
    destinations: destinations.filter((row) => row[column] === id),
    channels: channels.filter((row) => row[column] === id),
    questions: questions.filter((row) => row[column] === id),
  });
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
  for (const channel of channels) await removeChannel(deps, actor, null, channel);
  for (const { line_id: lineId, id } of questions) await cancelQuestion(deps, actor, lineId, id);
}
