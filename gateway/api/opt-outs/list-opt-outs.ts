import { type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { invalidQuery } from '../../errors';
import { TextOrNull, TimeOrNull } from '../http/answer-parts';
import { readInteger } from '../http/query';
import { operation, type ApiDeps } from '../operation';

const LIMIT = { minimum: 1, maximum: 1000, default: 200 };

const OptOutsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ ...LIMIT, description: 'Contacts at most.' })),
  after: Type.Optional(Type.String({ description: '`next` of the previous answer: continues after it.' })),
});

const OptOutsAnswer = Type.Object({
  success: Type.Literal(true),
  words: Type.Object({ out: Type.Array(Type.String()), back: Type.Array(Type.String()) }),
  count: Type.Integer(),
  data: Type.Array(Type.Object({ contact: Type.String(), since: TimeOrNull, word: TextOrNull })),
  next: TextOrNull,
});

export const listOptOuts = operation('get /{tid}/opt-outs', {
  tag: 'Opt-outs',
  id: 'listOptOuts',
  scope: 'read',
  rate: 'reads',
  isList: true,
  summary: 'List contacts who opted out',
  description:
    'The opt-out list of your line by contact, and the words with which contacts opt out and back in. Set the words in the control panel; there are none at first. `word` is what the contact wrote, or null if somebody else added the contact.',
  query: OptOutsQuery,
  answers: { 200: { description: 'The list.', schema: OptOutsAnswer } },
  refusals: () => [invalidQuery('limit is "0"; it takes a whole number from 1 to 1000.')],
  handler: list,
});

function list({ store }: Pick<ApiDeps, 'store'>) {
  return async ({ line, query }: FastifyRequest): Promise<Type.Static<typeof OptOutsAnswer>> => {
    const { limit: given, after } = query as Record<string, unknown>;
    const limit = readInteger('limit', given, LIMIT);
    if (after !== undefined && typeof after !== 'string')
      throw invalidQuery('after is given more than once.');
    const rows = await store.optOuts.page(line.id, after ?? '', limit);
    const { out = [], back = [] } = line.optOutWords ?? {};
    return {
      success: true,
      words: { out: [...out], back: [...back] },
      count: rows.length,
      data: rows.map(({ contact, at, word }) => ({ contact, since: at, word })),
      next: rows.length === limit ? (rows.at(-1)?.contact ?? null) : null,
    };
  };
}
