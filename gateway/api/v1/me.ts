import * as Type from 'typebox';
import { PERMISSIONS } from '../../rights/roles';
import { SCOPES } from '../../store/schema';
import { get } from './described';

const Ids = (description: string) =>
  Type.Unsafe<number[] | null>({ type: 'array', items: { type: 'integer' }, nullable: true, description });

export const Me = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  permissions: Type.Array(Type.Enum([...PERMISSIONS, ...SCOPES])),
  customer_ids: Ids('The customers that the token reaches; null for all, or if it reaches single lines.'),
  line_ids: Ids('The lines that the token reaches; null if it reaches whole customers.'),
  expires_at: Type.String({ format: 'date-time' }),
});

export const getMe = get('/me', {
  tag: 'Admin tokens',
  id: 'getMe',
  permission: null,
  summary: 'Get this token',
  description: 'The token of the request: what it may do, for which customers or lines, and until when.',
  schema: 'Me',
  refusals: () => [],
  object: async ({ token }): Promise<Type.Static<typeof Me>> => ({
    id: token.id,
    name: token.name,
    permissions: [...token.permissions, ...token.scopes],
    customer_ids: token.customerIds && [...token.customerIds],
    line_ids: token.lineIds && [...token.lineIds],
    expires_at: token.expiresAt,
  }),
});
