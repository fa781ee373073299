import * as Type from 'typebox';
import { invalidField, lineNotFound, tokenNotFound } from '../../../errors';
import { createToken, revokeToken, rotateToken, type MadeToken } from '../../../lines/tokens';
import { SCOPES } from '../../../store/schema';
import { type Tables } from '../../../store/store';
import { scopesOf, type TokenRow } from '../../../store/tables/tokens';
import { fact } from '../../../wording/facts';
import { TextOrNull, TimeOrNull } from '../../http/answer-parts';
import { bodyOf, typesOf } from '../../http/parse-body';
import { create, get, list, remove } from '../described';
import { pageInMemory } from '../list-page';
import { done, made, type AdminContext } from '../operation';
import { lineIn } from './lines';

const ANSWERS = ['gateway', 'platform'] as const;

export const LineTokenObject = Type.Object({
  id: Type.Integer(),
  line_id: Type.Integer(),
  name: TextOrNull,
  last_four: Type.String(),
  scopes: Type.Array(Type.Enum([...SCOPES])),
  answers: Type.Enum([...ANSWERS]),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: TimeOrNull,
  revoked_at: TimeOrNull,
  last_used_at: TimeOrNull,
  last_used_from: TextOrNull,
  last_used_by: TextOrNull,
});

const shown = (row: TokenRow): Type.Static<typeof LineTokenObject> => ({
  id: row.id,
  line_id: row.line_id,
  name: row.name,
  last_four: row.last_four,
  scopes: [...scopesOf(row)],
  answers: row.answers ?? 'gateway',
  created_at: row.created_at,
  expires_at: row.expires_at,
  revoked_at: row.revoked_at,
  last_used_at: row.last_used_at,
  last_used_from: row.last_used_from,
  last_used_by: row.last_used_by,
});

const NewToken = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 60 })),
    scopes: Type.Optional(Type.Array(Type.Enum([...SCOPES]), { minItems: 1 })),
    answers: Type.Optional(
      Type.Enum([...ANSWERS], {
        description: '`platform`: answers have only the fields of the platform.',
      }),
    ),
    expires_at: Type.Optional(
      Type.String({ maxLength: 40, description: 'ISO 8601. It never expires if omitted.' }),
    ),
  },
  { additionalProperties: false },
);
const Rotation = Type.Object(
  {
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 9999,
        description: 'For how long the previous token still works; 24 if omitted.',
      }),
    ),
  },
  { additionalProperties: false },
);
const readNew = bodyOf(typesOf(NewToken));
const readRotation = bodyOf(typesOf(Rotation));

const TAG = 'Tokens of lines';
const SECRET = { token: Type.String({ description: 'Shown only in this answer.' }) };

async function tokenIn({ params }: AdminContext, { tokens }: Pick<Tables, 'tokens'>): Promise<TokenRow> {
  const row = await tokens.find(Number(params.token_id));
  if (!row) throw tokenNotFound();
  return row;
}

const object = async (context: AdminContext, store: Tables) => shown(await tokenIn(context, store));

const madeToken = ({ id, row, token }: MadeToken) => made(`/tokens/${id}`, shown(row), { token });

export const listTokens = list('/lines/{line_id}/tokens', {
  tag: TAG,
  id: 'listTokens',
  permission: 'events.read',
  summary: 'List the tokens of a line',
  description: 'The revoked and expired ones included.',
  schema: 'LineToken',
  refusals: () => [lineNotFound()],
  handler: async (context) => {
    const { id } = await lineIn(context, context.deps.store);
    return pageInMemory(context, await context.deps.store.tokens.ofLine(id), shown);
  },
});

export const getToken = get('/tokens/{token_id}', {
  tag: TAG,
  id: 'getToken',
  permission: 'events.read',
  summary: 'Get a token of a line',
  description: 'What a token may do, and when it was last used.',
  schema: 'LineToken',
  refusals: () => [tokenNotFound()],
  object,
});

export const createTokenOperation = create('/lines/{line_id}/tokens', {
  tag: TAG,
  id: 'createToken',
  permission: 'tokens.manage',
  summary: 'Create a token of a line',
  description:
    'A token for one program, such as n8n. Without `scopes`, it may send, read and manage destinations.',
  body: {
    schema: NewToken,
    examples: { n8n: { value: { name: 'n8n production' } }, reads: { value: { scopes: ['read'] } } },
  },
  schema: 'LineToken',
  secrets: SECRET,
  refusals: () => [lineNotFound(), invalidField('expires_at', 'time', fact('date.past', {}))],
  handler: async (context) => {
    const { deps, actor, request } = context;
    const line = await lineIn(context, deps.store);
    const { expires_at: expiresAt = null, name, scopes, answers } = readNew(request);
    return madeToken(await createToken(deps, actor, line.id, { name, scopes, answers, expiresAt }));
  },
});

export const rotateTokenOperation = create('/tokens/{token_id}/rotate', {
  tag: TAG,
  id: 'rotateToken',
  permission: 'tokens.manage',
  fields: { overlap: 'overlap_hours' },
  summary: 'Replace a token of a line',
  description:
    'Makes a token with the same name, scopes and lifetime. The previous one works for a while, so that nothing is interrupted.',
  body: { schema: Rotation, examples: { day: { value: { overlap_hours: 24 } } } },
  schema: 'LineToken',
  secrets: SECRET,
  refusals: () => [tokenNotFound()],
  handler: async (context) => {
    const { deps, actor, request } = context;
    const row = await tokenIn(context, deps.store);
    const rotated = await rotateToken(deps, actor, row.id, readRotation(request).overlap_hours);
    if (!rotated) throw tokenNotFound();
    return madeToken(rotated);
  },
});

export const revokeTokenOperation = remove('/tokens/{token_id}', {
  tag: TAG,
  id: 'revokeToken',
  permission: 'tokens.manage',
  summary: 'Revoke a token of a line',
  description: 'The token is refused at once. Destinations that it registered stay until you remove them.',
  refusals: () => [tokenNotFound()],
  object,
  handler: async (context) => {
    const { deps, actor } = context;
    await revokeToken(deps, actor, (await tokenIn(context, deps.store)).id);
    return done;
  },
});
