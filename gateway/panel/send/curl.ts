interface Curl {
  gatewayUrl: string;
  phoneNumberId: string;
  /** Null: it is to be put in. */
  token: string | null;
  /** Of the send. */
  body: object;
}

/** A command for a terminal that sends a message. */
export const curlOf = ({ gatewayUrl, phoneNumberId, token, body }: Curl): string =>
  [
    `curl ${gatewayUrl}/api/v22.0/${phoneNumberId}/messages \\`,
    `  -H 'Authorization: Bearer ${token ?? 'TOKEN'}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join('\n');

/** One that only asks. @param path behind the line's own address */
export const readingCurlOf = ({
  gatewayUrl,
  phoneNumberId,
  token,
  path,
}: Omit<Curl, 'body'> & { path: string }): string =>
  `curl ${gatewayUrl}/api/v22.0/${phoneNumberId}/${path} \\\n  -H 'Authorization: Bearer ${token ?? 'TOKEN'}'`;

/** For a shell: as it stands, whatever it holds. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export const textTo = (to: string): object => ({
  messaging_product: 'chat',
  to,
  type: 'text',
  text: { body: 'Hello from the gateway' },
});
