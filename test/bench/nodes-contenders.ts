import { type EditorClient, type WorkflowNode } from '../n8n/editor-client';
import { CREDENTIAL_TYPE } from '../n8n/example-workflows';
import { PHONE_NUMBER_ID, WABA_ID } from '../support/test-gateway';

/** A node that sends a text for each item with `to` and `text`. */
export interface Contender {
  name: string;
  node: Omit<WorkflowNode, 'id' | 'name' | 'position'>;
}

const UPSTREAM_TOKEN = 'upstream-access-token';

/**
 * Our Send through the gateway, n8n's own WhatsApp node, and its HTTP Request node. The last two call the
 * platform directly.
 */
export async function contenders(
  editor: EditorClient,
  { gatewayUrl, upstreamUrl, token }: { gatewayUrl: string; upstreamUrl: string; token: string },
): Promise<Record<'ours' | 'whatsApp' | 'httpRequest', Contender>> {
  const our = await editor.createCredential('Ours', CREDENTIAL_TYPE, {
    baseUrl: gatewayUrl,
    line: PHONE_NUMBER_ID,
    token,
  });
  const their = await editor.createCredential('Theirs', 'whatsAppApi', {
    accessToken: UPSTREAM_TOKEN,
    businessAccountId: WABA_ID,
  });
  const header = await editor.createCredential('Header', 'httpHeaderAuth', {
    name: 'Authorization',
    value: `Bearer ${UPSTREAM_TOKEN}`,
  });
  return {
    ours: {
      name: 'Messaging Gateway',
      node: {
        type: 'n8n-nodes-messaging-gateway.messagingGateway',
        typeVersion: 1,
        parameters: {
          resource: 'message',
          operation: 'send',
          to: '={{ $json.to }}',
          messageType: 'text',
          text: '={{ $json.text }}',
        },
        credentials: { [CREDENTIAL_TYPE]: our },
      },
    },
    whatsApp: {
      name: "n8n's WhatsApp",
      node: {
        type: 'n8n-nodes-base.whatsApp',
        typeVersion: 1,
        parameters: {
          resource: 'message',
          operation: 'send',
          phoneNumberId: PHONE_NUMBER_ID,
          recipientPhoneNumber: '=+{{ $json.to }}',
          messageType: 'text',
          textBody: '={{ $json.text }}',
        },
        credentials: { whatsAppApi: their },
      },
    },
    httpRequest: {
      name: 'HTTP Request',
      node: {
        type: 'n8n-nodes-base.httpRequest',
        typeVersion: 4.2,
        parameters: {
          method: 'POST',
          url: `${upstreamUrl}/v22.0/${PHONE_NUMBER_ID}/messages`,
          authentication: 'genericCredentialType',
          genericAuthType: 'httpHeaderAuth',
          sendBody: true,
          specifyBody: 'json',
          jsonBody:
            '={{ { messaging_product: "whatsapp", to: $json.to, type: "text", text: { body: $json.text } } }}',
          options: {},
        },
        credentials: { httpHeaderAuth: header },
      },
    },
  };
}
