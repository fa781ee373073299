import { type FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { hashOf } from '../../primitives/token-format';
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
    'Describes a token of your line: its scopes, its expiry, and the ids that it opens. An access token of the platform is not described.',
  query: Type.Object({
    input_token: Type.Optional(
      Type.String({ description: 'The token. Without it, the token of the request.' }),
    ),
  }),
  answers: { 200: { description: 'The token.', schema: TokenAnswer } },
  refusals: [],
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

function describeToken({ lines }: ApiDeps) {
  return async (request: FastifyRequest): Promise<Type.Static<typeof TokenAnswer>> => {
    const { line } = request;
    const given = lastOf((request.query as Query).input_token);
    const opened = given === undefined ? request : lines.openedBy(hashOf(given));
    if (opened?.line.id !== line.id) return UNKNOWN;
    const { scopes: own, expiresAt } = opened.token;
    const scopes = [...own, ...PLATFORM_SCOPES];
    return {
      data: {
        type: 'SYSTEM_USER',
        application: 'Messaging Gateway',
        is_valid: true,
        expires_at: expiresAt === null ? 0 : Math.floor(Date.parse(expiresAt) / 1000),
        scopes,
        granular_scopes: scopes.map((scope) => ({ scope, target_ids: [line.wabaId, line.phoneNumberId] })),
      },
    };
  };
}
