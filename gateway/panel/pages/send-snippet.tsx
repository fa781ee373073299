import { type VNode } from 'preact';
import { Copy } from '../look/parts';
import { type Visit } from '../visit';

/** To whom it sends: the first phone of the sandbox. */
const TO = '12025550147';

interface SendSnippetProps {
  visit: Visit;
  lineId: number;
  phoneNumberId: string;
  /** Null: it is to be put in. */
  token: string | null;
}

/** A command that sends a text, and what has to be so for it to arrive. */
export function SendSnippet({ visit, lineId, phoneNumberId, token }: SendSnippetProps): VNode {
  const isSandbox = visit.world.sandboxUrl !== null;
  return (
    <>
      {token === null && (
        <p>
          Put your token in the place of <code>TOKEN</code>.
        </p>
      )}
      {isSandbox ? (
        <p>
          A text may go only to somebody who wrote within 24 hours: first write something from{' '}
          <a href={`/panel/phone/${lineId}/${TO}`}>the sandbox phone of {TO}</a>.
        </p>
      ) : (
        <p>
          Put the number of somebody who wrote to the line within 24 hours in the place of <code>{TO}</code>.
        </p>
      )}
      <Copy
        id="send-a-text"
        label="Command that sends a text"
        text={[
          `curl ${visit.gatewayUrl}/api/v22.0/${phoneNumberId}/messages \\`,
          `  -H 'Authorization: Bearer ${token ?? 'TOKEN'}' \\`,
          `  -H 'Content-Type: application/json' \\`,
          `  -d '{"messaging_product": "chat", "to": "${TO}", "type": "text", "text": {"body": "Hello from the gateway"}}'`,
        ].join('\n')}
      />
    </>
  );
}
