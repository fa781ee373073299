import { type Static } from 'typebox';
import { isRegisteredBy } from '../access/registrant';
import { listOf } from '../http/answer-parts';
import { operation } from '../operation';
import { DestinationAnswer, shown, shownFailure } from './destination-answer';

const DestinationsAnswer = listOf(DestinationAnswer);

export const listDestinations = operation('get /{tid}/destinations', {
  tag: 'Destinations',
  id: 'listDestinations',
  scope: 'destinations',
  rate: 'reads',
  isList: true,
  summary: 'List destinations',
  description:
    'The URLs that receive the replies and delivery statuses of your line. If another token or an operator added one, its address is cut after the host. `failing_since` and `last_failure` are set while a destination fails: its events wait. `paused_at` and `paused_because` are set while it is paused: nothing is sent until it is resumed.',
  answers: { 200: { description: 'The destinations.', schema: DestinationsAnswer } },
  refusals: () => [],
  handler:
    (deps) =>
    async ({ line, token }) => {
      const ofLine = deps.destinations.ofLine(line.id);
      // Health is stored with each failure, and only read on request.
      const rows = await deps.store.destinations.healthOf(ofLine.map(({ id }) => id));
      const health = new Map(rows.map((row) => [row.id, row]));
      const data = ofLine.map((destination) => {
        const { failing_since = null, last_failure = null } = health.get(destination.id) ?? {};
        const url = isRegisteredBy(token, destination) ? destination.url : cut(destination.url);
        return { ...shown(destination), url, failing_since, last_failure: shownFailure(last_failure) };
      });
      const answer: Static<typeof DestinationsAnswer> = { success: true, count: data.length, data };
      return answer;
    },
});

/** The URL of another token's or an operator's destination: everything after the host may be a secret. */
const cut = (url: string): string => `${URL.parse(url)?.origin ?? ''}/…`;
