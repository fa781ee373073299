interface Curl {
  gatewayUrl: string;
  phoneNumberId: string;
  /** Null shows a placeholder. */
  token: string | null;
  /** The body of the send. */
  body: object;
}

/** A shell command that sends a message. */
export const curlOf = ({ gatewayUrl, phoneNumberId, token, body }: Curl): string =>
  [
    `curl ${gatewayUrl}/api/v22.0/${phoneNumberId}/messages \\`,
    `  -H 'Authorization: Bearer ${token ?? 'TOKEN'}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join('\n');

/** A shell command for a GET request. @param path below the line's URL */
export const readingCurlOf = ({
  gatewayUrl,
  phoneNumberId,
  token,
  path,
}: Omit<Curl, 'body'> & { path: string }): string =>
  `curl ${gatewayUrl}/api/v22.0/${phoneNumberId}/${path} \\\n  -H 'Authorization: Bearer ${token ?? 'TOKEN'}'`;

/** Quotes a text for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export const textTo = (to: string): object => ({
  messaging_product: 'chat',
  to,
  type: 'text',
  text: { body: 'Hello from the gateway' },
});
