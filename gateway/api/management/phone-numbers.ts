import { type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { lineNotConfigured, tooManyPlatformReads } from '../../errors';
import { accessTokenOf } from '../../lines/line';
import { fieldsToAsk, lastOf, type Query } from '../http/graph-read';
import { readInteger } from '../http/query';
import { operation, type ApiDeps } from '../operation';
import { BAD_QUERY, FORWARDED } from '../refusals';
import { accountOf, givenOf, PAGE_QUERY, textQuery } from './forward';

/** The platform's default page size, and its limit. */
const PAGE = { minimum: 1, maximum: 100, default: 25 };

const NumbersAnswer = Type.Object({
  data: Type.Array(Type.Object({ id: Type.String() }, { additionalProperties: true })),
  paging: Type.Optional(
    Type.Object({ cursors: Type.Object({ before: Type.String(), after: Type.String() }) }),
  ),
});

export const listPhoneNumbers = operation('get /{account_id}/phone_numbers', {
  tag: 'Management',
  id: 'listPhoneNumbers',
  scope: 'manage:read',
  rate: 'reads',
  isList: true,
  summary: 'List phone numbers',
  description:
    'The phone numbers of the business account, in the platform’s format. Only numbers that are lines of the same customer in the gateway are listed.',
  query: textQuery({
    ...PAGE_QUERY,
    filtering: 'A filter in the platform’s format.',
    sort: 'The order, such as `creation_time_descending`.',
  }),
  answers: { 200: { description: 'The numbers.', schema: NumbersAnswer } },
  refusals: () => [BAD_QUERY, lineNotConfigured(), tooManyPlatformReads(5), ...FORWARDED],
  keepsPlatformStatus: true,
  handler: getPhoneNumbers,
});

function getPhoneNumbers(deps: ApiDeps) {
  return async (request: FastifyRequest): Promise<Type.Static<typeof NumbersAnswer>> => {
    const { line } = request;
    const wabaId = accountOf(deps, request);
    const query = request.query as Query;
    const limit = readInteger('limit', lastOf(query.limit), PAGE);
    const fields = fieldsToAsk(lastOf(query.fields), { known: [], named: 'WhatsAppBusinessPhoneNumber' });
    const accessToken = accessTokenOf(line);
    await deps.platformReads.take(line);
    const told = await deps.cloudApi.phoneNumbers(
      { wabaId, accessToken },
      fields ?? [],
      givenOf(request, ['filtering', 'sort']),
    );
    const own = new Set(
      deps.lines
        .ofBusinessAccount(wabaId)
        .filter(({ customerId }) => customerId === line.customerId)
        .map(({ phoneNumberId }) => phoneNumberId),
    );
    return pageOf(
      told.filter(({ id: number }) => own.has(number)),
      { after: lastOf(query.after), before: lastOf(query.before), limit },
    );
  };
}

/** Cursors are the ids of numbers. */
function pageOf(
  numbers: { id: string }[],
  { after, before, limit }: { after: string | undefined; before: string | undefined; limit: number },
): Type.Static<typeof NumbersAnswer> {
  const placeOf = (cursor: string) => numbers.findIndex(({ id }) => id === cursor);
  const ahead = before === undefined ? 0 : Math.max(0, placeOf(before) - limit);
  const from = after === undefined ? ahead : placeOf(after) + 1;
  const data = numbers.slice(from, from + limit);
  const [first, last] = [data[0], data.at(-1)];
  return { data, ...(first && last && { paging: { cursors: { before: first.id, after: last.id } } }) };
}
