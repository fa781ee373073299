import { healthOf } from '../../alerts/conditions/lines';
import { healthFacts } from '../../alerts/facts';
import { SettingError } from '../../errors';
import { destinationOf, type Destination } from '../../forwarding/destination';
import { setForwardingUrl, type DestinationDeps } from '../../forwarding/destinations/destination-rows';
import { addLine as add, type EnteredLine } from '../../lines/add-line';
import { lineOf } from '../../lines/line';
import { editLine, type LineChange } from '../../lines/edit-line';
import { lineInput } from '../../lines/line-input';
import { removeLine } from '../../lines/forget';
import { addToken, type MadeToken } from '../../lines/tokens';
import { type LineRow } from '../../store/tables/lines';
import { seedStarterTemplates } from '../../templates/sync-templates';
import { isoTime } from '../../time';
import { addressInAudit } from '../../store/tables/audit';
import { type Tables } from '../../store/store';
import { changesIn, type FieldChange, type Transaction } from '../../store/with-audit';
import { confirmed } from '../confirmed';
import { customerId } from '../customer';
import { checkAccount } from './check-account';
import { beyondReach, copiesBeside, roomToScrub, scrubbed } from '../data/scrub';
import { linkTo, withoutAddress } from '../link';
import { commandActor, lineByTid, offline, type Offline } from '../offline';
import { byOptions, optionsOf, wordsAndOptions, yes } from '../options';
import { print } from '../print';
import { secretsIn } from '../secrets';
import { handshakeText, tryHandshake, type Shaken } from './handshake';

/** The secret fields of a line. */
const SECRETS = ['access-token', 'app-secret', 'forward-secret'] as const;

/** Options for the fields of a line, in `line add` and `line edit`. */
const FIELDS = [
  'name',
  'phone-number-id',
  'phone-number',
  'waba-id',
  'window',
  'customer',
  'forward-url',
] as const;

const REQUIRED_SECRETS = {
  'access-token': 'Access token of the platform',
  'app-secret': 'App secret of the platform',
};

/** Dependencies for adding a line inside the audited transaction. */
type Adding = Omit<Offline, 'store'> & { store: Pick<Tables, 'tokens' | 'templates'> };

/** Adds the starter templates and a token to a new line. */
async function begin(deps: Adding, row: LineRow): Promise<MadeToken> {
  await seedStarterTemplates(deps.store, row.id);
  return addToken(deps, row.id);
}

/** @param by the program that adds the line, if not a user */
export const addFirstLine = (deps: Offline, line: EnteredLine, by: string) =>
  add(deps, commandActor(), null, line, async (transaction, row) => ({
    token: (await begin({ ...deps, ...transaction }, row)).token,
    details: { by },
  }));

export async function lineAdd(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const values = optionsOf(args, { text: FIELDS, flags: ['json'], secrets: SECRETS });
  const fields = {
    name: values.name ?? '',
    phoneNumberId: values['phone-number-id'] ?? '',
    phoneNumber: values['phone-number'] ?? '',
    wabaId: values['waba-id'] ?? '',
    windowMode: values.window ?? 'text',
    customerId: ownerIn(values.customer) ?? null,
  };
  // Validates the fields before the user is asked for secrets.
  lineInput(fields);
  const secrets = await secretsIn(values, SECRETS, REQUIRED_SECRETS);
  const line = {
    ...fields,
    accessToken: secrets['access-token'] ?? '',
    appSecret: secrets['app-secret'] ?? '',
  };
  await offline(
    env,
    async (deps) => {
      const forwarding = forwardingOf(null, values['forward-url'], secrets['forward-secret']);
      const begun = async (transaction: Transaction, made: LineRow) => {
        const within = { ...deps, ...transaction };
        return {
          first: await begin(within, made),
          ...(await forward(within, made.id, null, forwarding)),
        };
      };
      const added = await add(deps, commandActor(), null, line, begun, (valid) => checkAccount(env, valid));
      const { row, first, set } = added;
      const { secret, shaken } = await saved(deps, null, forwarding, set);
      if (values.json)
        return print(
          JSON.stringify({
            line: { ...shown(row), ...secret },
            token: first.token,
            token_id: first.id,
            ...(shaken && { handshake: shaken }),
          }),
        );
      const callback = linkTo(env, `/webhooks/platform/${row.phone_number_id}`);
      print(
        [
          `Line ${row.id} "${row.name}" is added.`,
          `Its token, shown only once: ${first.token}`,
          `Its callback for the platform${withoutAddress(env)}: ${callback} with the verify token ${row.verify_token}`,
          ...(secret.forward_secret ? [`Its events are signed with: ${secret.forward_secret}`] : []),
          ...(shaken ? [handshakeText(shaken)] : []),
        ].join('\n'),
      );
    },
    'first command',
  );
}

export async function lineList(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const values = optionsOf(args, { flags: ['json'] });
  await offline(env, async ({ store, vault, clock }) => {
    const facts = await healthFacts({ store, clock });
    const lines = (await store.lines.all()).map((row) => ({
      ...shown(row),
      health: healthOf(lineOf(row, vault), facts),
    }));
    if (values.json) return print(JSON.stringify({ lines }));
    if (!lines.length) return print('There is no line yet. Add one with "messaging-gateway line add".');
    lines.forEach((line) =>
      print(
        line.id,
        line.phone_number_id,
        line.phone_number,
        line.health,
        line.api_enabled ? 'API on' : 'API off',
        line.name,
      ),
    );
  });
}

export async function lineEdit(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, {
    text: [...FIELDS, 'active', 'api-enabled', 'quality', 'keep-sent', 'pause-hours'],
    flags: ['json'],
    secrets: SECRETS,
  });
  const { json, ...fields } = values;
  const secrets = await secretsIn(values, SECRETS);
  if (!Object.keys(fields).length)
    throw new SettingError('Give at least one field to change, for example --active false.');
  await offline(env, async (deps) => {
    const row = await lineByTid(deps.store, words);
    const current = await currentForwarding(deps, row.id);
    const forwarding = forwardingOf(current, values['forward-url'], secrets['forward-secret']);
    const entered = {
      name: values.name,
      phoneNumberId: values['phone-number-id'],
      phoneNumber: values['phone-number'],
      wabaId: values['waba-id'],
      accessToken: secrets['access-token'],
      appSecret: secrets['app-secret'],
      windowMode: values.window,
      customerId: ownerIn(values.customer),
      qualityMode: values.quality,
      automationPauseHours: values['pause-hours'],
      keepsSent: yes('--keep-sent', values['keep-sent']),
      isActive: yes('--active', values.active),
      apiEnabled: yes('--api-enabled', values['api-enabled']),
    };
    const verify = async ({ accessToken: given, phoneNumberId, wabaId }: LineChange) => {
      const accessToken = given ?? lineOf(row, deps.vault).accessToken;
      if (accessToken !== null && (phoneNumberId ?? wabaId ?? given) !== undefined)
        await checkAccount(env, {
          phoneNumberId: phoneNumberId ?? row.phone_number_id,
          wabaId: wabaId ?? row.waba_id,
          accessToken,
        });
    };
    const edited = await editLine(deps, commandActor(), null, row, entered, verify, (transaction) =>
      forward({ ...deps, ...transaction }, row.id, current, forwarding),
    );
    const { secret, shaken } = await saved(deps, current, forwarding, edited.set);
    const line = { ...shown(edited.row), ...secret };
    if (json) return print(JSON.stringify({ line, ...(shaken && { handshake: shaken }) }));
    print(`Line ${row.id} "${line.name}" is changed.`);
    if (shaken) print(handshakeText(shaken));
  });
}

/**
 * Removes the line of a former customer: its credentials, pending deliveries, and all data of its contacts.
 */
export async function lineRemove(args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { values, words } = wordsAndOptions(args, { flags: ['yes', 'json'] });
  await offline(env, async (deps) => {
    const { store } = deps;
    const [tid, ...more] = words;
    // An interrupted removal continues with the line's ID.
    const removed =
      !more.length && /^\d{1,9}$/.test(tid ?? '') ? await store.lines.findRemoved(Number(tid)) : null;
    const row = removed ?? (await lineByTid(store, words));
    const label = row.name === '' ? `Line ${row.id}` : `Line ${row.id} "${row.name}"`;
    const pause = await roomToScrub(store);
    await confirmed(
      values.yes,
      `${label} is removed for good: its credentials, tokens, templates and destinations, what is still to be delivered, and its messages, events and contacts.${pause}`,
    );
    const report = await removeLine(deps, commandActor(), row, removed !== null);
    const sentence = await scrubbed(store);
    const left = copiesBeside(env);
    if (values.json)
      return print(JSON.stringify({ line: { id: row.id, name: row.name }, removed: report, left_in: left }));
    print(`${label} is removed.`);
    Object.entries(report).forEach(([what, count]) => print(what.replaceAll('_', ' '), count));
    print(sentence);
    print(beyondReach(left));
    print('At the platform, take the access token back, and the callback of this line away.');
  });
}

interface Forwarding {
  url: string;
  secret: string | null;
}

async function currentForwarding(
  { store, vault, clock }: Offline,
  lineId: number,
): Promise<Destination | null> {
  const rows = await store.destinations.active(isoTime(clock()));
  const row = rows.find((one) => one.line_id === lineId && one.origin === 'forwarding');
  return row ? destinationOf(row, vault) : null;
}

/** Returns the new forwarding URL; null to keep the current one. */
function forwardingOf(
  current: Destination | null,
  given: string | undefined,
  secret: string | null = null,
): Forwarding | null {
  if (given === undefined && secret === null) return null;
  const url = given ?? current?.url;
  if (url === undefined)
    throw new SettingError('--forward-secret-file needs --forward-url: the line has no forwarding URL yet.');
  return { url, secret };
}

/**
 * Sets the forwarding URL, if given.
 * @returns also the details for the audit
 */
async function forward(
  deps: DestinationDeps,
  lineId: number,
  current: Destination | null,
  forwarding: Forwarding | null,
): Promise<{ set: Destination | null; details: Record<string, unknown>; changes: FieldChange[] }> {
  if (!forwarding) return { set: null, details: {}, changes: [] };
  const set = await setForwardingUrl(deps, lineId, current, forwarding).catch(
    byOptions({ url: 'forward-url', headers: 'forward-url', secret: 'forward-secret-file' }),
  );
  const address = addressInAudit(set.url);
  return {
    set,
    details: { forward_url: address },
    changes: changesIn({ 'forwarding URL': [current && addressInAudit(current.url), address] }),
  };
}

/** Returns the output about a forwarding URL. A generated secret is printed only here. */
async function saved(
  deps: Offline,
  current: Destination | null,
  forwarding: Forwarding | null,
  set: Destination | null,
): Promise<{ secret: { forward_url?: string; forward_secret?: string }; shaken: Shaken | null }> {
  if (!set) return { secret: {}, shaken: null };
  const isMade = !current && forwarding?.secret === null;
  return {
    secret: { forward_url: set.url, ...(isMade && { forward_secret: set.secret }) },
    shaken: await tryHandshake(deps, set),
  };
}

/** Parses `--customer ID|none`; undefined if not given. */
function ownerIn(given: string | undefined): number | null | undefined {
  if (given === undefined) return undefined;
  return given === 'none' ? null : customerId(given);
}

/** A line for output, without credentials and secrets. */
const shown = (row: LineRow) => ({
  id: row.id,
  name: row.name,
  phone_number_id: row.phone_number_id,
  phone_number: row.phone_number,
  waba_id: row.waba_id,
  ...(row.customer_id !== null && { customer: row.customer_id }),
  is_active: row.deactivated_at === null,
  api_enabled: row.api_disabled_at === null,
  window: row.window_mode,
  quality: row.quality_mode,
  keeps_sent: row.sent_kept_at !== null,
  automation_pause_hours: row.automation_pause_hours || null,
  callback_path: `/webhooks/platform/${row.phone_number_id}`,
  verify_token: row.verify_token,
});
