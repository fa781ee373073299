import { CredentialTestContext } from 'n8n-core';
import type { ICredentialTestFunctions } from 'n8n-workflow';

// Sets up n8n-core before its first context, and cleans up after the last.
import './n8n';
import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';

/**
 * Tests a credential as n8n does on Save or Test: calls the function named by the node with n8n's own
 * context. Returns the message shown; undefined if the test passed.
 */
export async function testCredential(data: Record<string, string>): Promise<string | undefined> {
  const { description, methods } = new MessagingGateway();
  const [{ testedBy }] = description.credentials ?? [];
  const test = methods.credentialTest[testedBy as keyof typeof methods.credentialTest];
  const context = new CredentialTestContext() as ICredentialTestFunctions;
  const { status, message } = await test.call(context, {
    id: '1',
    name: 'Line',
    type: 'messagingGatewayApi',
    data,
  });
  return status === 'OK' ? undefined : message;
}
