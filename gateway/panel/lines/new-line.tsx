import { randomBytes, randomInt } from 'node:crypto';
import { type VNode } from 'preact';
import { addLine as add, isPhoneNumber, type NewLine } from '../../lines/add-line';
import { seedStarterTemplates } from '../../templates/sync-templates';
import { isoTime } from '../../time';
import { FormState } from '../form-state';
import { Form, SubmitOrCancel, TextField } from '../ui/form';
import { Card, Notice, PageHead } from '../ui/parts';
import {
  change,
  page,
  prepare,
  seeOther,
  type Outcome,
  type PanelRoute,
  type Visit,
} from '../request-context';
import { checkWithUpstream, judgeName, judgeUpstreamFields, UpstreamFields } from './line-fields';

export const newLinePages: PanelRoute[] = [
  prepare('/lines/new', (visit) => askLine(visit, new FormState())),
  change('/lines', addLine, { confirmed: true }),
];

function askLine(visit: Visit, state: FormState): Outcome {
  const isSandbox = visit.world.sandboxUrl !== null;
  return page(
    'Add a line',
    <>
      <PageHead title="Add a line" back={{ href: '/panel/lines', label: 'Lines' }}>
        {isSandbox
          ? 'The sandbox plays the messaging platform here: a line needs a name and nothing else, and nothing leaves this machine.'
          : 'Copy these from the upstream platform. They are checked there when you save.'}
      </PageHead>
      <Card>
        <Form visit={visit} action="/panel/lines" state={state}>
          <TextField
            state={state}
            name="name"
            label="Name"
            hint="By which you and your colleagues know the line, for example the shop or the customer."
          />
          {isSandbox ? <SandboxFields state={state} /> : <RealFields state={state} />}
          <SubmitOrCancel submit="Add the line" back="/panel/lines" />
        </Form>
      </Card>
      {isSandbox && (
        <Notice tone="info">
          <p>
            For a real number, set <code>GATEWAY_UPSTREAM_URL</code> to the address of the platform and start
            the gateway again; then this page asks for what the platform gives you.
          </p>
        </Notice>
      )}
    </>,
    state.isGood ? 200 : 422,
  );
}

const SandboxFields = ({ state }: { state: FormState }): VNode => (
  <TextField
    state={state}
    name="phone_number"
    label="Phone number"
    type="tel"
    optional
    hint="Any number that you like. One is made up where you leave it empty."
  />
);

const RealFields = ({ state }: { state: FormState }): VNode => (
  <UpstreamFields state={state} stored={{ accessToken: false, appSecret: false }} />
);

async function addLine(visit: Visit): Promise<Outcome> {
  const { world } = visit;
  const state = new FormState(visit.form);
  const name = judgeName(state);
  if (world.sandboxUrl !== null) {
    const number = state.text('phone_number');
    if (number && !isPhoneNumber(number))
      state.fault('phone_number', 'Give it with its country code, for example +1 202-555-0123.');
    if (!state.isGood) return askLine(visit, state);
    return insert(visit, state, sandboxLine(name, number), null);
  }
  judgeUpstreamFields(state, true);
  const id = state.text('phone_number_id');
  if (world.lines.byPhoneNumberId(id)) state.fault('phone_number_id', TAKEN);
  if (!state.isGood) return askLine(visit, state);
  const accessToken = state.text('access_token');
  const node = await checkWithUpstream(visit, state, accessToken);
  if (!state.isGood) return askLine(visit, state);
  const line = {
    name,
    phoneNumberId: id,
    phoneNumber: state.text('phone_number') || (node?.display_phone_number ?? ''),
    wabaId: state.text('waba_id'),
    accessToken,
    appSecret: state.text('app_secret'),
    window: 'text' as const,
  };
  return insert(visit, state, line, node && JSON.stringify(node));
}

const TAKEN = 'Another line of this gateway has this phone number ID already.';

/** @param node what upstream just told of the number, as JSON; null where it told nothing */
async function insert(visit: Visit, state: FormState, line: NewLine, node: string | null): Promise<Outcome> {
  const { world } = visit;
  const added = await add(world, visit.actor, line, async ({ store }, { id }) => {
    await seedStarterTemplates(store, id);
    const at = isoTime(world.clock());
    const { phoneNumberId } = line;
    if (node !== null)
      await store.lines.storeStatus(id, { phoneNumberId, node, startedAt: at, checkedAt: at });
    return {};
  });
  if (!added) {
    state.fault('phone_number_id', TAKEN);
    return askLine(visit, state);
  }
  const { row } = added;
  return seeOther(`/panel/lines/${row.id}`, `The line "${row.name}" is added.`);
}

/** The sandbox knows every line that the gateway has, whatever its ids are. */
const sandboxLine = (name: string, phoneNumber: string): NewLine => ({
  name,
  phoneNumberId: digits(15),
  phoneNumber: phoneNumber || `+1 555-01${digits(2)}-${digits(4)}`,
  wabaId: digits(15),
  accessToken: randomBytes(24).toString('base64url'),
  appSecret: randomBytes(24).toString('hex'),
  window: 'text',
});

/** So many digits, of which the first is not 0. */
const digits = (count: number): string =>
  Array.from({ length: count }, (_none, index) => randomInt(index ? 0 : 1, 10)).join('');
