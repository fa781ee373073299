import * as Type from 'typebox';
import { customerUnknown, invitationNotFound, notPermitted } from '../../../errors';
import { ROLES } from '../../../rights/roles';
import { type Tables } from '../../../store/store';
import { type InvitationRow } from '../../../store/tables/invitations';
import {
  customersOfInvitation,
  invitationsSeenBy,
  invite,
  renewInvitation,
  revokeInvitation,
  sendInvitation,
  type MadeInvitation,
} from '../../../users/invitations/invite';
import { say } from '../../../wording/say';
import { TextOrNull } from '../../http/answer-parts';
import { bodyOf, typesOf } from '../../http/parse-body';
import { act, create, get, list, remove } from '../described';
import { pageInMemory } from '../list-page';
import { done, found, made, type AdminContext } from '../operation';
import { CUSTOMER_IDS, OF_CUSTOMERS } from './users';

const ROLE = Type.Enum([...ROLES]);
const Time = Type.String({ format: 'date-time' });

export const Invitation = Type.Object({
  id: Type.Integer(),
  name: TextOrNull,
  email: TextOrNull,
  role: ROLE,
  customer_ids: Type.Unsafe<number[] | null>({
    type: 'array',
    items: { type: 'integer' },
    nullable: true,
    description: 'Null: the role in all customers.',
  }),
  invited_by: Type.String(),
  created_at: Time,
  expires_at: Time,
});

const shown = (row: InvitationRow): Type.Static<typeof Invitation> => ({
  ...{ id: row.id, name: row.name, email: row.email, role: row.role },
  customer_ids: customersOfInvitation(row),
  ...{ invited_by: row.invited_by, created_at: row.created_at, expires_at: row.expires_at },
});

const NewInvitation = Type.Object(
  {
    role: ROLE,
    customer_ids: CUSTOMER_IDS,
    email: Type.Optional(
      Type.String({
        description:
          'Where the link is sent, by the mail server of the first e-mail alert channel for the whole gateway. Needs `GATEWAY_PUBLIC_URL`.',
      }),
    ),
    name: Type.Optional(Type.String({ maxLength: 80, description: 'A note for the list.' })),
  },
  { additionalProperties: false },
);
const read = bodyOf(typesOf(NewInvitation));

const HANDED_OVER = {
  link: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description: 'Where the invitation is accepted, once. Null: it was sent by e-mail.',
  }),
  email_failure: Type.Unsafe<string | null>({
    type: 'string',
    nullable: true,
    description: 'Why the link was not sent by e-mail.',
  }),
};

/** Sends the link, or answers it. */
async function handOver(
  { deps, address, isDryRun }: AdminContext,
  invitation: MadeInvitation,
): Promise<{ link: string | null; email_failure: string | null }> {
  const { email } = invitation.row;
  const path = `/panel/invitation?key=${invitation.key}`;
  const link = address + path;
  if (email === null || isDryRun) return { link: isDryRun ? null : link, email_failure: null };
  const failure = await sendInvitation(deps, invitation, email, path, 'en');
  return failure === null ? { link: null, email_failure: null } : { link, email_failure: say('en', failure) };
}

const TAG = 'Invitations';

async function invitationIn({ params, by }: AdminContext, store: Tables): Promise<InvitationRow> {
  const row = (await invitationsSeenBy(store, by)).find(({ id }) => id === Number(params.invitation_id));
  if (!row) throw invitationNotFound();
  return row;
}

const object = async (context: AdminContext, store: Tables) => shown(await invitationIn(context, store));

export const listInvitations = list('/invitations', {
  tag: TAG,
  id: 'listInvitations',
  permission: 'people.manage',
  summary: 'List open invitations',
  description: 'The invitations that nobody has accepted yet, all of whose customers the token reaches.',
  schema: 'Invitation',
  refusals: () => [],
  handler: async (context) =>
    pageInMemory(context, await invitationsSeenBy(context.deps.store, context.by), shown),
});

export const getInvitation = get('/invitations/{invitation_id}', {
  tag: TAG,
  id: 'getInvitation',
  permission: 'people.manage',
  summary: 'Get an invitation',
  description: 'One open invitation.',
  schema: 'Invitation',
  refusals: () => [invitationNotFound()],
  object,
});

export const createInvitation = create('/invitations', {
  tag: TAG,
  id: 'createInvitation',
  permission: 'people.manage',
  fields: OF_CUSTOMERS,
  summary: 'Invite a person',
  description:
    'The person opens the link within 72 hours, and chooses a name and a password. Refused then if this token was revoked or has expired.',
  body: {
    schema: NewInvitation,
    examples: { agent: { value: { role: 'agent', customer_ids: [1], email: 'ana@example.com' } } },
  },
  schema: 'Invitation',
  secrets: HANDED_OVER,
  refusals: () => [customerUnknown(), notPermitted()],
  object,
  handler: async (context) => {
    const { deps, actor, by, token, request } = context;
    const { role, customer_ids: customerIds = null, email = null, name = null } = read(request);
    const given = { role, customerIds, email, name };
    const invitation = await invite(deps, actor, by, given, token.id);
    const { id } = invitation.row;
    return made(`/invitations/${id}`, shown(invitation.row), await handOver(context, invitation));
  },
});

export const renewInvitationOperation = act('/invitations/{invitation_id}/renew', {
  tag: TAG,
  id: 'renewInvitation',
  permission: 'people.manage',
  summary: 'Renew an invitation',
  description: 'Makes a new link for another 72 hours. The previous one stops working.',
  schema: Type.Object(HANDED_OVER),
  refusals: () => [invitationNotFound(), notPermitted()],
  handler: async (context) => {
    const { deps, actor, by, token } = context;
    const row = await invitationIn(context, deps.store);
    const renewed = await renewInvitation(deps, actor, by, row, token.id);
    return found(await handOver(context, renewed));
  },
});

export const revokeInvitationOperation = remove('/invitations/{invitation_id}', {
  tag: TAG,
  id: 'revokeInvitation',
  permission: 'people.manage',
  summary: 'Revoke an invitation',
  description: 'Its link stops working.',
  refusals: () => [invitationNotFound(), notPermitted()],
  object,
  handler: async (context) => {
    const { deps, actor, by } = context;
    await revokeInvitation(deps, actor, by, await invitationIn(context, deps.store));
    return done;
  },
});
