import { type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { reachesLine, type AdminToken } from '../../admin-tokens/admin-token';
import { type Line } from '../../lines/line';
import { hashOf } from '../../primitives/token-format';
import { type ApiToken } from '../access/authenticate-line';
import { lastOf, type Query } from '../http/graph-read';
import { operation, type ApiDeps } from '../operation';

/** `GET /debug_token`: https://developers.facebook.com/docs/graph-api/reference/debug_token */
const TokenAnswer = Type.Object({
  data: Type.Object({
    type: Type.Optional(Type.String()),
    application: Type.Optional(Type.String()),
    is_valid: Type.Boolean(),
    /** Seconds since 1970; 0: never. */
    expires_at: Type.Optional(Type.Integer()),
    scopes: Type.Array(Type.String()),
    granular_scopes: Type.Optional(
      Type.Array(Type.Object({ scope: Type.String(), target_ids: Type.Array(Type.String()) })),
    ),
    error: Type.Optional(
      Type.Object({ code: Type.Integer(), message: Type.String(), subcode: Type.Integer() }),
    ),
  }),
});

export const debugToken = operation('get /debug_token', {
  tag: 'Management',
  id: 'debugToken',
  scope: 'manage:read',
  rate: 'reads',
  summary: 'Describe a token',
  description:
    'Describes a token that opens a line of yours: its scopes, its expiry, and the ids that it opens. An access token of the platform is not described.',
  query: Type.Object({
    input_token: Type.Optional(
      Type.String({ description: 'The token. Without it, the token of the request.' }),
    ),
  }),
  answers: { 200: { description: 'The token.', schema: TokenAnswer } },
  refusals: () => [],
  handler: describeToken,
});

/** What clients of the platform look for. */
const PLATFORM_SCOPES = ['whatsapp_business_management', 'whatsapp_business_messaging'];

const UNKNOWN: Type.Static<typeof TokenAnswer> = {
  data: {
    is_valid: false,
    scopes: [],
    error: { code: 190, message: 'Invalid OAuth access token.', subcode: 2069032 },
  },
};

/** A token, and the lines that it opens. */
interface Opened {
  token: ApiToken;
  lines: readonly Line[];
}

function describeToken({ lines, adminTokens }: ApiDeps) {
  const ofAdmin = (token: AdminToken): Opened => ({
    token,
    lines: lines.all().filter((line) => reachesLine(token, line)),
  });
  const openedBy = (given: string): Opened | null => {
    const hash = hashOf(given);
    const opened = lines.openedBy(hash);
    if (opened) return { token: opened.token, lines: [opened.line] };
    const token = adminTokens.openedBy(hash);
    return token && ofAdmin(token);
  };
  return async ({ token, line, query }: FastifyRequest): Promise<Type.Static<typeof TokenAnswer>> => {
    const own = token.kind === 'admin' ? ofAdmin(token) : { token, lines: [line] };
    const given = lastOf((query as Query).input_token);
    const opened = given === undefined ? own : openedBy(given);
    const shared = opened?.lines.filter(({ id }) => own.lines.some((one) => one.id === id)) ?? [];
    if (!opened || !shared.length) return UNKNOWN;
    const { scopes: scopesOfToken, expiresAt } = opened.token;
    const scopes = [...scopesOfToken, ...PLATFORM_SCOPES];
    const ids = new Set(shared.flatMap(({ wabaId, phoneNumberId }) => [wabaId, phoneNumberId]));
    return {
      data: {
        type: 'SYSTEM_USER',
        application: 'Messaging Gateway',
        is_valid: true,
        expires_at: expiresAt === null ? 0 : Math.floor(Date.parse(expiresAt) / 1000),
        scopes,
        granular_scopes: scopes.map((scope) => ({ scope, target_ids: [...ids] })),
      },
    };
  };
}
