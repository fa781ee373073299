import { ADMIN_OPERATIONS, ADMIN_SCHEMAS, ADMIN_TAGS } from '../api/v1/operations';
import { type ApiDescription } from './document';
import { OF_ADMIN } from './refusals';
import { toOpenApi } from './schema';

const DESCRIPTION = `
Manage the gateway with programs: customers, lines, tokens, destinations, people, templates and alerts. Every rule of the
control panel applies here too.

## Before you begin

1. **Create an admin token** in the control panel (**Admin tokens**), or with
   \`messaging-gateway admin-token create --name NAME\`. It starts with \`gwa_\` and is shown once.
2. Press **Authorize**, paste the token, press **Authorize** again, then **Close**.
3. Open **Get this token** below, press **Try it out**, then **Execute**. The answer says what the token may do.

## What all operations have in common

- What the token does not reach answers like something that does not exist.
- Lists take \`limit\` (at most 200) and \`cursor\`, and answer \`data\` and \`next\`, the cursor of the next page.
- \`POST\` takes \`Idempotency-Key\`: for 24 hours, a repeated request gets the answer of the first.
- \`PATCH\`, \`PUT\` and \`DELETE\` take \`If-Match\` with the \`ETag\` of the object: 412 if it has changed since.
- Every change takes \`?dry_run=1\`, which checks the request and changes nothing.
- Secrets are only in the answer to the request that makes them.
- Every change is in the audit, with the id of the token.
`.trim();

/** The management API. */
export const ADMIN_API: ApiDescription = {
  title: 'Messaging Gateway: management API',
  description: DESCRIPTION,
  servers: [''],
  prefix: '/v1',
  tags: ADMIN_TAGS,
  operations: ADMIN_OPERATIONS.map((operation) => ({
    ...operation,
    description: operation.permission
      ? `${operation.description}\n\nThe token needs the permission \`${operation.permission}\`.`
      : operation.description,
  })),
  token: 'An admin token. It starts with `gwa_`.',
  headers: {},
  schemas: Object.fromEntries(
    Object.entries(ADMIN_SCHEMAS).map(([name, schema]) => [name, toOpenApi(schema)]),
  ),
  refusals: OF_ADMIN,
};
