import { UPSTREAM_VERSION } from '../cloud-api/client';
import { OPERATIONS, TAGS } from '../api/operations';
import { type Described } from '../api/operation';
import { parameterNames } from '../api/path-parameters';
import { lineNotNamed } from '../errors';
import { type ApiDescription } from './document';
import { messageBodySchemas } from './message-body';
import { OF_LINE } from './refusals';

const DESCRIPTION = `
Send chat messages through your own phone line, and get every reply and delivery status back.

## Send your first message

1. **Get your line and its token.** \`npm start\` prints both for a line to try things with; nothing leaves your machine
   then. The token of a line of your own comes from the control panel, **API tokens**. It starts with \`gwl_\`.
2. Press **Authorize**, paste the token, press **Authorize** again, then **Close**.
3. Open **Send a message** below and press **Try it out**. Put your line into **tid**, the recipient's number with
   country code into \`to\`, and press **Execute**. The answer appears below, with the id of your message.

Every error says in \`details\` what to do next. Every answer to a right token, refusals too, has the headers
\`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`, unless the limit is off.

The API is the one of the WhatsApp Cloud API, ${UPSTREAM_VERSION}: a client that was written for it changes only its base address
and its token. Versions from v13.0 to v26.0 in the path are served as ${UPSTREAM_VERSION}.
`.trim();

/** Refusals send this header too, but the document doesn't list it there. */
const VERSION_HEADER: Record<string, Described> = {
  'X-Gateway-Version': {
    description: 'The version by which the request was served.',
    schema: { type: 'string', enum: [UPSTREAM_VERSION] },
  },
};

/** The API of a line, in the platform's format. */
export const LINE_API: ApiDescription = {
  title: 'Messaging Gateway',
  description: DESCRIPTION,
  // Every operation is served with and without `/api`.
  servers: ['/api', ''],
  prefix: `/${UPSTREAM_VERSION}`,
  tags: TAGS,
  operations: OPERATIONS.map((operation) => ({
    ...operation,
    description: `${operation.description}\n\nThe token needs the scope \`${operation.scope}\`.`,
    refusals: () => [
      ...operation.refusals(),
      ...(parameterNames(operation.path)[0] === 'tid' ? [] : [lineNotNamed()]),
    ],
  })),
  token:
    'The token of your line, which starts with `gwl_`; or an admin token, which starts with `gwa_`, for each line that it reaches.',
  headers: VERSION_HEADER,
  schemas: messageBodySchemas(),
  refusals: OF_LINE,
};
