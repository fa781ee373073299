import { mailer } from '../../alerts/channels/invitation-mail';
import { SettingError } from '../../errors';
import { type InvitationRow } from '../../store/tables/invitations';
import {
  customersOfInvitation,
  invite,
  renewInvitation,
  revokeInvitation,
  sendInvitation,
  type MadeInvitation,
} from '../../users/invitations/invite';
import { say } from '../../wording/say';
import { customerId } from '../customer';
import { linkTo, withoutAddress } from '../link';
import { commandActor, offline, type Offline } from '../offline';
import { optionsOf, wordsAndOptions } from '../options';
import { print } from '../print';

/** Invites a person, who chooses a name and a password. */
export async function invitationCreate(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values } = wordsAndOptions(args, {
    text: ['role', 'name', 'email'],
    lists: ['customer'],
    flags: ['json'],
  });
  const given = {
    name: values.name ?? null,
    email: values.email ?? null,
    role: values.role ?? '',
    customerIds: values.customer?.map(customerId) ?? null,
  };
  await offline(env, async (deps) =>
    handOver(deps, env, await invite(deps, commandActor(), null, given), values.json === true),
  );
}

export async function invitationList(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const values = optionsOf(args, { flags: ['json'] });
  await offline(env, async ({ store }) => {
    const rows = await store.invitations.all();
    if (values.json) return print(JSON.stringify({ invitations: rows.map(shown) }));
    if (!rows.length) return print('There is no open invitation.');
    rows.forEach((row) =>
      print(row.id, row.role, row.name ?? '–', row.email ?? 'by link', `expires ${row.expires_at}`),
    );
  });
}

/** Makes a new link, which voids the previous one. */
export async function invitationRenew(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { flags: ['json'] });
  await offline(env, async (deps) => {
    const row = await invitationIn(deps, words);
    await handOver(deps, env, await renewInvitation(deps, commandActor(), null, row), values.json === true);
  });
}

export async function invitationRevoke(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { words } = wordsAndOptions(args);
  await offline(env, async (deps) => {
    const row = await invitationIn(deps, words);
    await revokeInvitation(deps, commandActor(), null, row);
    print(`Invitation ${row.id} is revoked.`);
  });
}

/** Sends the link by e-mail, or prints it. */
async function handOver(
  deps: Offline,
  env: NodeJS.ProcessEnv,
  invitation: MadeInvitation,
  asJson: boolean,
): Promise<void> {
  const { row, key } = invitation;
  const path = `/panel/invitation?key=${key}`;
  const link = linkTo(env, path);
  const mailing = { store: deps.store, publicUrl: linkTo(env, '') || null, invitationMail: mailer(deps) };
  const failure =
    row.email === null ? null : await sendInvitation(mailing, invitation, row.email, path, 'en');
  const isSent = row.email !== null && failure === null;
  if (failure !== null) process.stderr.write(`The e-mail was not sent: ${say('en', failure)}\n`);
  if (asJson) return print(JSON.stringify({ invitation: shown(row), ...(!isSent && { link }) }));
  if (isSent) return print(`Invitation ${row.id} was sent to ${row.email}.`);
  print(`Invitation ${row.id}. Accept it here, once and within 72 hours${withoutAddress(env)}: ${link}`);
}

async function invitationIn({ store }: Offline, [id = '', ...more]: string[]): Promise<InvitationRow> {
  const row = !more.length && /^\d{1,9}$/.test(id) ? await store.invitations.find(Number(id)) : null;
  if (!row) throw new SettingError('Which invitation? Give an id that "invitation list" shows.');
  return row;
}

const shown = (row: InvitationRow) => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: row.role,
  customers: customersOfInvitation(row),
  invited_by: row.invited_by,
  created_at: row.created_at,
  expires_at: row.expires_at,
});
