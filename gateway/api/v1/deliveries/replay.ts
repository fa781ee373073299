import * as Type from 'typebox';
import { beginReplay, MOST_REPLAYED } from '../../../forwarding/replay';
import { eventIdBefore } from '../../../store/event-id';
import { invalidField } from '../../../errors';
import { timeIn } from '../../../time';
import { fact } from '../../../wording/facts';
import { bodyOf } from '../../http/parse-body';
import { act } from '../described';
import { found } from '../operation';

const STATES = ['pending', 'delivered', 'dead'] as const;
const TIME = Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'ISO 8601.' }));

const Filter = Type.Object(
  {
    states: Type.Array(Type.Enum([...STATES]), {
      minItems: 1,
      description: '`dead`: given up; `pending`: waits for a retry, and is sent now.',
    }),
    event_id: Type.Optional(Type.String({ pattern: '^evt_\\w{1,60}$' })),
    line_id: Type.Optional(Type.Integer({ minimum: 1 })),
    destination_ids: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: 1000 })),
    from: TIME,
    to: TIME,
  },
  { additionalProperties: false },
);
// No use case checks the limits.
const read = bodyOf(Filter);

const Replayed = Type.Object({
  replayed: Type.Integer(),
  complete: Type.Boolean({ description: 'Whether these are all that match.' }),
});

function eventBefore(field: 'from' | 'to', given: string | undefined) {
  if (given === undefined) return {};
  const time = timeIn(given);
  if (Number.isNaN(time)) throw invalidField(field, 'time', fact('date.invalid', {}));
  return { [field]: eventIdBefore(time) };
}

export const replayDeliveries = act('/deliveries/replay', {
  tag: 'Deliveries',
  id: 'replayDeliveries',
  permission: 'deliveries.replay',
  summary: 'Send deliveries again',
  description: `Sends again every delivery that matches all given fields, with the same event ids; at most ${MOST_REPLAYED} in one request. A dry run only checks the request.`,
  body: {
    schema: Filter,
    examples: {
      dead: { summary: 'All that was given up', value: { states: ['dead'] } },
      range: {
        summary: 'Everything of one line since a time',
        value: { states: [...STATES], line_id: 1, from: '2026-03-10T00:00:00Z' },
      },
    },
  },
  schema: Replayed,
  refusals: () => [invalidField('from', 'time', fact('date.invalid', {}))],
  handler: async ({ deps, actor, by, request, isDryRun }) => {
    const given = read(request);
    const { states, event_id: eventId, line_id: lineId, destination_ids: destinationIds } = given;
    const filter = {
      states: [...states],
      ...(eventId !== undefined && { eventId }),
      ...(lineId !== undefined && { lineId }),
      ...(destinationIds && { destinationIds: [...destinationIds] }),
      ...eventBefore('from', given.from),
      ...eventBefore('to', given.to),
    };
    if (isDryRun) return found({ replayed: 0, complete: true });
    const details = {
      state: states,
      event: eventId,
      line: lineId,
      destinations: destinationIds,
      from: given.from,
      to: given.to,
    };
    const run = await beginReplay(deps, actor, by, filter, details);
    const { count, isAll } = await run();
    return found({ replayed: count, complete: isAll });
  },
});
