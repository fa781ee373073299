import { type FastifyRequest } from 'fastify';
import { isRecipient, normalizedRecipient } from '../../cloud-api/validate/message-request';
import { invalidQuery, quoted } from '../../errors';

/**
 * The contact in the path, as in `to`: digits, or a user id.
 * @throws Refusal if it is invalid
 */
export function contactIn(request: FastifyRequest): string {
  const { contact } = request.params as { contact: string };
  if (!isRecipient(contact)) throw invalidContact(contact);
  return normalizedRecipient(contact);
}

export const invalidContact = (given: string) =>
  invalidQuery(
    `The contact is ${quoted(given)}; it takes a phone number with country code, such as 5511987654321, or a user id, such as US.13491208655302741918.`,
  );
