import * as Type from 'typebox';
import { customerMissing, customerUnknown, invalidField, lineNotFound, notPermitted } from '../../../errors';
import { QUALITY_MODES, WINDOW_MODES } from '../../../lines/line-input';
import { removeLine } from '../../../lines/forget';
import { addVerifiedLine, editVerifiedLine } from '../../../management/verified-line';
import { LONGEST_PAUSE_HOURS } from '../../../store/schema';
import { type Tables } from '../../../store/store';
import { type LineRow } from '../../../store/tables/lines';
import { fact } from '../../../wording/facts';
import { optionalFields } from '../../http/answer-parts';
import { bodyOf, typesOf } from '../../http/parse-body';
import { readId } from '../../http/query';
import { change, create, get, list, remove } from '../described';
import { pageInMemory } from '../list-page';
import { done, found, made, type AdminContext } from '../operation';

const integerOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: 'integer', nullable: true, description });

export const LineObject = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  customer_id: integerOrNull('Null: no customer.'),
  phone_number_id: Type.String(),
  phone_number: Type.String(),
  waba_id: Type.String(),
  active: Type.Boolean({ description: 'Whether the line serves at all.' }),
  api_enabled: Type.Boolean({ description: 'Whether its API answers.' }),
  window: Type.Enum([...WINDOW_MODES]),
  quality: Type.Enum([...QUALITY_MODES]),
  keeps_sent: Type.Boolean({ description: 'Whether the text of messages that programs send is stored.' }),
  automation_pause_hours: Type.Integer({ description: "0: a colleague's answer pauses nothing." }),
  has_access_token: Type.Boolean(),
  has_app_secret: Type.Boolean(),
  created_at: Type.String({ format: 'date-time' }),
});

export const shownLine = (row: LineRow): Type.Static<typeof LineObject> => ({
  id: row.id,
  name: row.name,
  customer_id: row.customer_id,
  phone_number_id: row.phone_number_id,
  phone_number: row.phone_number,
  waba_id: row.waba_id,
  active: row.deactivated_at === null,
  api_enabled: row.api_disabled_at === null,
  window: row.window_mode,
  quality: row.quality_mode,
  keeps_sent: row.sent_kept_at !== null,
  automation_pause_hours: row.automation_pause_hours ?? 0,
  has_access_token: row.access_token_sealed !== null,
  has_app_secret: row.app_secret_sealed !== null,
  created_at: row.created_at,
});

const TEXT = Type.String({ minLength: 1, maxLength: 200 });
const SECRET = Type.String({ minLength: 1, maxLength: 2048 });
const FIELDS = {
  name: TEXT,
  phone_number_id: Type.String({ minLength: 1, maxLength: 64 }),
  waba_id: Type.String({ minLength: 1, maxLength: 64 }),
  access_token: SECRET,
  app_secret: SECRET,
};
const PHONE_NUMBER = Type.String({ minLength: 1, maxLength: 40 });
const CUSTOMER = Type.Optional(
  Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], { description: 'Null: no customer.' }),
);
const WINDOW = Type.Optional(Type.Enum([...WINDOW_MODES]));
const SAVE_ANYWAY = Type.Optional(
  Type.Boolean({ description: 'Saves the line although the platform could not be asked.' }),
);

const NewLine = Type.Object(
  {
    ...FIELDS,
    phone_number: Type.Optional(
      Type.String({ maxLength: 40, description: 'Read from the platform if omitted.' }),
    ),
    customer_id: CUSTOMER,
    window: WINDOW,
    save_anyway: SAVE_ANYWAY,
  },
  { additionalProperties: false },
);
const LineChange = Type.Object(
  {
    ...optionalFields(FIELDS),
    phone_number: Type.Optional(PHONE_NUMBER),
    customer_id: CUSTOMER,
    window: WINDOW,
    quality: Type.Optional(Type.Enum([...QUALITY_MODES])),
    keeps_sent: Type.Optional(Type.Boolean()),
    automation_pause_hours: Type.Optional(Type.Integer({ minimum: 0, maximum: LONGEST_PAUSE_HOURS })),
    active: Type.Optional(Type.Boolean()),
    api_enabled: Type.Optional(Type.Boolean()),
    save_anyway: SAVE_ANYWAY,
  },
  { additionalProperties: false },
);
const readNew = bodyOf(typesOf(NewLine));
const readChange = bodyOf(typesOf(LineChange));

const TAG = 'Lines';
const FIELD_NAMES = { customer: 'customer_id', pause_hours: 'automation_pause_hours' };
const refusals = () => [
  invalidField('phone_number_id', 'line_field', fact('number_id.taken', {})),
  customerUnknown(),
  customerMissing(),
  notPermitted(),
];

/** @throws Refusal if the token does not see the line */
export async function lineIn({ params }: AdminContext, store: Pick<Tables, 'lines'>): Promise<LineRow> {
  const row = await store.lines.find(Number(params.line_id));
  if (!row) throw lineNotFound();
  return row;
}

const object = async (context: AdminContext, store: Tables) => shownLine(await lineIn(context, store));

export const listLines = list('/lines', {
  tag: TAG,
  id: 'listLines',
  permission: 'events.read',
  summary: 'List lines',
  description: 'The lines that the token reaches, in the order of their ids.',
  query: {
    phone_number_id: Type.Optional(Type.String({ description: 'Only the line with this phone number id.' })),
    customer_id: Type.Optional(Type.Integer({ minimum: 1, description: 'Only the lines of this customer.' })),
  },
  schema: 'Line',
  refusals: () => [],
  handler: async (context) => {
    const { phone_number_id: number, customer_id: customer } = context.query;
    const customerId = readId('customer_id', customer);
    const rows = (await context.deps.store.lines.all())
      .filter((row) => number === undefined || row.phone_number_id === number)
      .filter((row) => customerId === null || row.customer_id === customerId);
    return pageInMemory(context, rows, shownLine);
  },
});

export const getLine = get('/lines/{line_id}', {
  tag: TAG,
  id: 'getLine',
  permission: 'events.read',
  summary: 'Get a line',
  description: 'One line. Its credentials are never shown.',
  schema: 'Line',
  refusals: () => [lineNotFound()],
  object,
});

export const createLine = create('/lines', {
  tag: TAG,
  id: 'createLine',
  permission: 'lines.manage',
  fields: FIELD_NAMES,
  summary: 'Create a line',
  description:
    'Adds a phone number with its credentials, which the platform confirms first. Then create its token, and its destinations.',
  body: {
    schema: NewLine,
    examples: {
      line: {
        value: {
          name: 'Support',
          customer_id: 1,
          phone_number_id: '106540352242922',
          phone_number: '+1 555-078-3881',
          waba_id: '102290129340398',
          access_token: 'EAAJB…',
          app_secret: '…',
        },
      },
    },
  },
  schema: 'Line',
  secrets: {
    verify_token: Type.String({ description: 'For the callback of the platform, `callback_path`.' }),
    callback_path: Type.String(),
  },
  refusals,
  object,
  handler: async ({ deps, actor, by, request }) => {
    const given = readNew(request);
    const entered = {
      name: given.name,
      phoneNumberId: given.phone_number_id,
      phoneNumber: given.phone_number ?? '',
      wabaId: given.waba_id,
      accessToken: given.access_token,
      appSecret: given.app_secret,
      windowMode: given.window ?? 'text',
      customerId: given.customer_id ?? null,
    };
    const row = await addVerifiedLine(deps, actor, by, entered, given.save_anyway === true);
    return made(`/lines/${row.id}`, shownLine(row), {
      verify_token: row.verify_token,
      callback_path: `/webhooks/platform/${row.phone_number_id}`,
    });
  },
});

export const changeLine = change('/lines/{line_id}', {
  tag: TAG,
  id: 'changeLine',
  permission: 'lines.manage',
  fields: FIELD_NAMES,
  summary: 'Change a line, or switch it on or off',
  description:
    'Fields that you omit stay as they are. Changed ids and access tokens are confirmed by the platform first.',
  body: {
    schema: LineChange,
    examples: {
      switch: { value: { active: false } },
      credentials: { value: { access_token: 'EAAJB…' } },
      customer: { value: { customer_id: 1 } },
    },
  },
  schema: 'Line',
  refusals: () => [lineNotFound(), ...refusals()],
  object,
  handler: async (context) => {
    const { deps, actor, by, request } = context;
    const given = readChange(request);
    const entered = {
      name: given.name,
      phoneNumberId: given.phone_number_id,
      phoneNumber: given.phone_number,
      wabaId: given.waba_id,
      accessToken: given.access_token,
      appSecret: given.app_secret,
      windowMode: given.window,
      qualityMode: given.quality,
      automationPauseHours: given.automation_pause_hours,
      keepsSent: given.keeps_sent,
      isActive: given.active,
      apiEnabled: given.api_enabled,
      customerId: given.customer_id,
    };
    const row = await lineIn(context, deps.store);
    const edited = await editVerifiedLine(deps, actor, by, row, entered, given.save_anyway === true);
    return found(shownLine(edited));
  },
});

export const removeLineOperation = remove('/lines/{line_id}', {
  tag: TAG,
  id: 'removeLine',
  permission: 'lines.manage',
  summary: 'Remove a line',
  description:
    'Removes the line for good, with its credentials, tokens, destinations, waiting deliveries and contacts. On SQLite, the space in the file is freed later.',
  refusals: () => [lineNotFound()],
  object,
  handler: async (context) => {
    const { deps, actor, isDryRun } = context;
    const row = await lineIn(context, deps.store);
    if (!isDryRun) await removeLine(deps, actor, row, false);
    return done;
  },
});
