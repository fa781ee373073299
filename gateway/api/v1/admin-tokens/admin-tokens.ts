import * as Type from 'typebox';
import { ALLOWABLE } from '../../../admin-tokens/admin-token';
import { MOST_DAYS } from '../../../admin-tokens/admin-token-input';
import {
  adminTokensSeenBy,
  createAdminToken,
  revokeAdminToken,
} from '../../../admin-tokens/manage-admin-tokens';
import { shownAdminToken } from '../../../admin-tokens/shown-admin-token';
import { adminTokenNotFound, customerUnknown, invalidField, lineUnknown } from '../../../errors';
import { type Tables } from '../../../store/store';
import { fact } from '../../../wording/facts';
import { TextOrNull, TimeOrNull } from '../../http/answer-parts';
import { bodyOf, typesOf } from '../../http/parse-body';
import { create, get, list, remove } from '../described';
import { pageInMemory } from '../list-page';
import { done, made, type AdminContext } from '../operation';

const ALLOWED = Type.Array(Type.Enum([...ALLOWABLE]), { minItems: 1 });
const idsOrNull = (description: string) =>
  Type.Unsafe<number[] | null>({ type: 'array', items: { type: 'integer' }, nullable: true, description });

export const AdminTokenObject = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  last_four: Type.String(),
  permissions: Type.Array(Type.Enum([...ALLOWABLE])),
  customer_ids: idsOrNull('Null: all customers, unless `line_ids` has lines.'),
  line_ids: idsOrNull('Null: the lines of its customers.'),
  created_at: Type.String({ format: 'date-time' }),
  created_by: Type.String(),
  expires_at: Type.String({ format: 'date-time' }),
  revoked_at: TimeOrNull,
  last_used_at: TimeOrNull,
  last_used_from: TextOrNull,
  last_used_by: TextOrNull,
});

const IDS = Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: 1000 });
const NewAdminToken = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 60 }),
    permissions: Type.Optional(ALLOWED),
    customer_ids: Type.Optional(IDS),
    line_ids: Type.Optional(IDS),
    expires_in_days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MOST_DAYS, description: 'A year if omitted.' }),
    ),
  },
  { additionalProperties: false },
);
const readNew = bodyOf(typesOf(NewAdminToken));

const TAG = 'Admin tokens';

async function object({ params, by }: AdminContext, store: Tables) {
  const row = (await adminTokensSeenBy(store, by)).find(({ id }) => id === Number(params.admin_token_id));
  if (!row) throw adminTokenNotFound();
  return shownAdminToken(row);
}

export const listAdminTokens = list('/admin-tokens', {
  tag: TAG,
  id: 'listAdminTokens',
  permission: 'tokens.manage',
  summary: 'List admin tokens',
  description: 'The admin tokens that this token could make, the revoked and expired ones included.',
  schema: 'AdminToken',
  refusals: () => [],
  handler: async (context) =>
    pageInMemory(context, await adminTokensSeenBy(context.deps.store, context.by), shownAdminToken),
});

export const getAdminToken = get('/admin-tokens/{admin_token_id}', {
  tag: TAG,
  id: 'getAdminToken',
  permission: 'tokens.manage',
  summary: 'Get an admin token',
  description: 'What an admin token may do, and when it was last used.',
  schema: 'AdminToken',
  refusals: () => [adminTokenNotFound()],
  object,
});

export const createAdminTokenOperation = create('/admin-tokens', {
  tag: TAG,
  id: 'createAdminToken',
  permission: 'tokens.manage',
  fields: { customer: 'customer_ids', line: 'line_ids' },
  summary: 'Create an admin token',
  description:
    'A token with permissions of this API, and scopes of the API of lines (`send`, `read`, `destinations`, `manage:read`, `manage`). It can have only what this token has in its whole reach. Without `permissions`, it gets all permissions that this token can give; without `customer_ids` and `line_ids`, it reaches everything.',
  body: {
    schema: NewAdminToken,
    examples: {
      customer: { value: { name: 'CRM of Lucky Shrub', customer_ids: [1], permissions: ['events.read'] } },
      lines: { value: { name: 'n8n', line_ids: [1], permissions: ['send', 'read'], expires_in_days: 90 } },
    },
  },
  schema: 'AdminToken',
  secrets: { token: Type.String({ description: 'Shown only in this answer.' }) },
  refusals: () => [
    customerUnknown(),
    lineUnknown(),
    invalidField('permissions', 'above', fact('permissions.above', { names: ['lines.manage'] })),
  ],
  handler: async ({ deps, actor, by, request }) => {
    const given = readNew(request);
    const { token, row } = await createAdminToken(deps, actor, by, {
      name: given.name,
      permissions: given.permissions,
      customerIds: given.customer_ids,
      lineIds: given.line_ids,
      expiresInDays: given.expires_in_days,
    });
    return made(`/admin-tokens/${row.id}`, shownAdminToken(row), { token });
  },
});

export const revokeAdminTokenOperation = remove('/admin-tokens/{admin_token_id}', {
  tag: TAG,
  id: 'revokeAdminToken',
  permission: 'tokens.manage',
  summary: 'Revoke an admin token',
  description: 'The token is refused at once. A token with `tokens.manage` can also revoke itself.',
  refusals: () => [adminTokenNotFound()],
  handler: async ({ deps, actor, by, params }) => {
    await revokeAdminToken(deps, actor, by, Number(params.admin_token_id));
    return done;
  },
});
