import { CredentialTestContext } from 'n8n-core';
import type { ICredentialTestFunctions } from 'n8n-workflow';

// For what n8n-core needs before its first context, and leaves behind after the last.
import './n8n';
import { MessagingGateway } from '../../nodes/MessagingGateway/MessagingGateway.node';

/**
 * What n8n does when a person presses Save or Test in the credential: the function that the node names is called with
 * n8n's own context. Returns what is shown, or undefined where all is well.
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
