import { type FastifyRequest } from 'fastify';
import { invalidQuery } from '../../errors';
import { type Line } from '../../lines/line';
import { lastOf, plainFields, type Query } from '../http/graph-read';
import { type ApiDeps } from '../operation';
import { forward, requireWholeAccount } from './forward';

/** Lists of a business account that have an operation of their own, which shows only the token's own entries. */
const LISTS = ['phone_numbers', 'message_templates', 'subscribed_apps'];

/** Analytics that can be limited to phone numbers. */
const BY_NUMBER = ['analytics', 'conversation_analytics', 'pricing_analytics'];

/** Fields of the line's business account from the platform. @throws Refusal */
export async function readAccount(deps: ApiDeps, request: FastifyRequest): Promise<string> {
  const { line } = request;
  requireWholeAccount(deps, line);
  const fields = lastOf((request.query as Query).fields);
  const numbers = deps.lines
    .ofBusinessAccount(line.wabaId)
    .map(({ phoneNumber }) => phoneNumber.replace(/\D/g, ''));
  return forward(deps, request, {
    method: 'get',
    path: line.wabaId,
    query: fields === undefined ? {} : { fields: accountFields(fields, line, numbers) },
  });
}

/**
 * The fields as the platform gets them: without subfields, which could reach objects of others, and with analytics
 * limited to the lines' numbers.
 * @throws Refusal for lists with an operation of their own, and for analytics that cannot be limited
 */
function accountFields(fields: string, { wabaId }: Pick<Line, 'wabaId'>, numbers: string[]): string {
  return plainFields(fields)
    .map((field) => {
      const [name = ''] = /^\w*/.exec(field) ?? [];
      if (LISTS.includes(name))
        throw invalidQuery(`${name} is not a field here. Use GET /${wabaId}/${name}.`);
      if (BY_NUMBER.includes(name))
        return `${field.replace(/\.phone_numbers\([^)]*\)/g, '')}.phone_numbers(${JSON.stringify(numbers)})`;
      if (/analytics/.test(name)) throw invalidQuery(`${name} cannot be limited to your lines.`);
      return field;
    })
    .join(',');
}
